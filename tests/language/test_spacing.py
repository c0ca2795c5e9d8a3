"""Which texts have no spaces between their words."""

import pytest

from isogloss.language import is_unspaced

THAI = "ฉันกินข้าวเช้าที่บ้านทุกวันกับครอบครัว"
LAO = "ຂ້ອຍກິນເຂົ້າເຊົ້າຢູ່ເຮືອນທຸກມື້"
KHMER = "ខ្ញុំញ៉ាំអាហារពេលព្រឹកនៅផ្ទះជារៀងរាល់ថ្ងៃ"
BURMESE = "ကျွန်တော်နေ့တိုင်းအိမ်မှာမနက်စာစားတယ်။"
TIBETAN = "ང་ཉིན་ལྟར་ཁྱིམ་དུ་ཞོགས་ཇ་བཟའ་གི་ཡོད།"
CHINESE = "我每天早上都和家人一起在家里吃早饭。"
JAPANESE = "私は毎日家族と一緒に家で朝ご飯を食べます。"


@pytest.mark.parametrize("text", [THAI, LAO, KHMER, BURMESE, TIBETAN, CHINESE, JAPANESE])
def test_scripts_without_spaces(text: str) -> None:
    assert is_unspaced(text)
    assert is_unspaced(f"{text} (WHO)")
    assert is_unspaced(text, ideographs=False) == (text not in (CHINESE, JAPANESE))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a plain sentence",
        "Это предложение на русском языке, довольно длинное.",
        "나는 매일 아침 집에서 가족과 함께 아침을 먹는다.",
        "मैं हर दिन घर पर नाश्ता करता हूँ।",
        "我 每天 早上 都 和 家人 一起 在 家里 吃 早饭 。",
        "ฉัน กิน ข้าวเช้า ที่ บ้าน ทุกวัน กับ ครอบครัว",
        "The title 我每天早上都和家人 was on the cover of the magazine that he bought.",
    ],
)
def test_other_scripts_segmented_texts_and_quotations(text: str) -> None:
    assert not is_unspaced(text)
