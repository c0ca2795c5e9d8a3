"""Annotators at a real browser: Debian's Chromium, a real server, answers looked up in the store.

Any message of the browser's console fails a test, unless the network was cut on purpose.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from annotate.browsing import Computer, all_saved, at_task, entered, press
from annotate.served_campaigns import served
from chromium import serious
from isogloss.annotate.campaign import Checks, Phase
from isogloss.annotate.items import DocumentText
from isogloss.annotate.results.adjudication import standing_answers
from isogloss.annotate.storage.verification import faults


def test_phase_1_with_the_keyboard_alone(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["phase1"]) as campaign:
        page = entered(computer(), campaign)
        expect(page.get_by_text("0 of 6 answered")).to_be_visible()
        while page.evaluate("document.activeElement.textContent") != "Begin":
            press(page, "Tab")
        press(page, "Enter")
        page.wait_for_selector(".workbench")
        press(page, "8", "5", "c", "9", "x")  # the first line of A and B; B has a conflict
        expect(page.get_by_text("Line 2 of 3")).to_be_visible()
        press(page, "ArrowRight", "ArrowRight")  # from the middle, one step up
        press(page, "o", "ArrowRight", "Shift+ArrowRight", "m")
        press(page, "s", "m", "n")
        page.keyboard.type("n? 5 words, as said")
        press(page, "Enter")
        all_saved(page)
        press(page, "u", "?")
        expect(page.get_by_role("dialog")).to_contain_text("Conflicting markable")
        press(page, "Escape", "g")
        expect(page.get_by_role("complementary", name="Guidelines")).to_contain_text("Be kind.")
        all_saved(page)
        values = campaign.values("phase1")
        assert (values["line:0/A"]["adequacy"], values["line:0/A"]["fluency"]) == (0.8, 0.5)
        assert (values["line:0/B"]["adequacy"], values["line:0/B"]["fluency"]) == (0.9, 1)
        assert [values[f"line:0/{slot}"]["conflicting"] for slot in "AB"] == [False, True]
        second = values["line:1/A"]
        assert (second["adequacy"], second["fluency"], second["note"]) == (0.6, None, "")
        words = {"one": "lodger clears", "two": "lessee vacates"}
        system = "one" if campaign.slot("one") == "A" else "two"
        assert second["reported"] == [
            {"side": "output", "start": 4, "end": 4 + len(words[system]), "text": words[system]},
            {"side": "source", "start": 0, "end": 7, "text": "Nájemce"},
        ]
        notes = [event.value["note"] for event in campaign.events() if event.item == "line:1/A"]
        assert notes[-2:] == ["n? 5 words, as said", ""], "undo is a new answer"
        page.reload()
        expect(page.get_by_text("Line 2 of 3")).to_be_visible()
        expect(page.locator(":focus")).to_have_attribute("aria-label", "Adequacy")
        expect(page.locator("article.row.here").get_by_label("half done")).to_be_visible()
        expect(page.get_by_role("button", name="Line 2, half done")).to_be_visible()
        press(page, "Enter")  # what was begun comes first
        expect(page.locator(":focus")).to_have_attribute("aria-label", "Fluency")
        press(page, "Enter")
        expect(page.locator("article.row.here")).to_have_attribute("aria-label", "Translation B")


@pytest.mark.parametrize("kind", ["phase1", "phase2", "spans", "contrastive"])
def test_a_phone_has_room_for_the_words(computer: Computer, tmp_path: Path, kind: Phase) -> None:
    with served(tmp_path, [kind]) as campaign:
        page = at_task(computer(), campaign, kind)
        page.set_viewport_size({"width": 390, "height": 844})
        for text in page.locator(".row .own").all():
            box = text.bounding_box()
            assert box is not None
            assert box["width"] > 250
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert serious(page) == []


def test_a_note_is_not_wiped_by_news_of_what_was_saved(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["phase1"]) as campaign:
        page = at_task(computer(), campaign, "phase1")
        press(page, "8", "n")  # the answer to the first key arrives while the note is written
        page.keyboard.type("twelve words that take their time while the page hears of other news")
        all_saved(page)
        page.keyboard.type(", and go on after it")
        press(page, "Enter")
        all_saved(page)
        note = campaign.values("phase1")["line:0/A"]["note"]
        assert note.startswith("twelve words")
        assert note.endswith("go on after it")


def test_phase_2_asks_for_severity_and_says_no_error(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["phase2"]) as campaign:
        page = at_task(computer(), campaign, "phase2")
        expect(page.locator(".document mark.markable")).to_have_text("Nájemce")
        expect(page.locator(".document mark.elsewhere")).to_have_text(["Nájemce", "nájemce"])
        expect(page.locator("article mark.markable")).to_have_count(2)
        press(page, "3")  # terminology, not rated yet
        expect(page.get_by_text("1/6")).to_have_count(0)
        press(page, "r", "5", "t", "ArrowDown", "=", "a")
        expect(page.get_by_text("Occurrence 2 of 3")).to_be_visible()
        expect(page.locator("article.here .before mark")).to_have_count(1)
        press(page, "n", "n")
        expect(page.get_by_text("Occurrence 3 of 3")).to_be_visible()
        press(page, "o", "ArrowRight", "Shift+ArrowRight", "Enter")
        press(page, "0", "f")
        expect(page.locator("article.row")).to_have_count(1)
        press(page, "k", "k", "3", "3", "5")  # terminology is taken away; sense is turned to
        all_saved(page)
        values = campaign.values("phase2")
        marks = {"no_error": False, "phenomena": {"sense": 1.0}}
        assert values["occ:0/A"] == {**marks, "target": None, "same_as": None}
        assert values["occ:0/B"] == {**marks, "target": None, "same_as": "A"}, "it keeps up"
        assert values["occ:1/A"]["no_error"]
        assert values["occ:1/B"]["no_error"]
        third = values["occ:2/A"]
        assert third["phenomena"] == {"conflict": None}, "the tick is kept before it is rated"
        words = {"one": {"start": 3, "end": 11}, "two": {"start": 4, "end": 17}}
        assert third["target"] == [words["one" if campaign.slot("one") == "A" else "two"]]


def test_scores_errors_and_repeated_words(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["da", "spans", "consistency"]) as campaign:
        context = computer()
        page = at_task(context, campaign, "da")
        press(page, "7", "5", "Enter", "4", "Enter", "x")
        all_saved(page)
        assert campaign.values("da") == {
            "seg:0/A": {"score": 75},
            "seg:0/B": {"score": 40},
            "seg:1/A": {"score": 100},
        }
        page = at_task(context, campaign, "spans")
        press(page, "o", "ArrowRight", "w", "o", "Home", "q", "v", "6", "2")
        page.get_by_label("Category").first.select_option("Style/Awkward")
        all_saved(page)
        found = campaign.values("spans")["seg:0/A"]
        assert found["score"] == 62
        places = [(e["start"], e["end"], e["severity"], e["missing"]) for e in found["errors"]]
        assert places == [(0, 3, "minor", False), (4, 10, "major", False), (21, 21, "major", True)]
        assert found["errors"][0]["category"] == "Style/Awkward"
        page = at_task(context, campaign, "consistency")
        press(page, "n", "Enter")
        expect(page.get_by_text("Everything in this task is answered.")).to_be_visible()
        all_saved(page)
        free = {"same": False, "unsure": False, "flexible": []}
        assert campaign.values("consistency") == {"chain:0": free}


def test_a_score_is_taken_back(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["da"]) as campaign:
        page = at_task(computer(), campaign, "da")
        press(page, "x", "ArrowDown", "4", "u")
        expect(page.get_by_role("slider").nth(1)).to_have_attribute("aria-valuetext", "not rated")
        all_saved(page)
        assert campaign.values("da") == {"seg:0/A": {"score": 100}, "seg:0/B": {"score": None}}
        expect(page.locator(".bar .count")).to_have_text("1/6")
        assert [str(answer.item) for answer in standing_answers(campaign.store)] == ["seg:0/A"]
        press(page, "u")
        all_saved(page)
        expect(page.get_by_role("button", name="Undo")).to_be_disabled()
        page.get_by_role("link", name="All tasks").click()
        expect(page.get_by_text("0 of 6 answered")).to_be_visible()


def test_whoever_passed_something_over_is_told_before_they_leave(
    computer: Computer, tmp_path: Path
) -> None:
    with served(tmp_path, ["da"], checks=Checks(repeats=0.2)) as campaign:
        page = at_task(computer(), campaign, "da")
        ending = page.get_by_text("This is the end of the task, but 5 questions are still open.")
        press(page, "x", "j", "h")  # in the middle: there is nothing to tell
        expect(page.get_by_text("Hello, ann.")).to_be_visible()
        page.go_back()
        page.wait_for_selector(".workbench")
        last = len(campaign.task("da").content["items"])
        assert last == 7, "one of them a check, which is as open as the others"
        press(page, "j", "j")
        expect(ending).to_have_count(0)
        press(page, "x")
        expect(ending).to_be_visible()
        dialog = page.get_by_role("dialog", name="Leave this task?")
        page.get_by_role("link", name="All tasks").click()
        expect(dialog).to_contain_text("5 questions are still open")
        assert serious(page) == []
        press(page, "1")
        expect(dialog).to_have_count(0)
        expect(page.locator(".bar .turn")).to_contain_text("Segment 1 of 4")
        press(page, "h", "Escape", "h", "2")
        expect(page.get_by_text("2 of 7 answered")).to_be_visible()
        page.go_back()
        page.wait_for_selector(".workbench")
        press(page, *["Enter", "x"] * 5)
        all_saved(page)
        press(page, "h")
        expect(page.get_by_text("Everything is answered. Thank you!")).to_be_visible()


def test_words_are_selected_with_the_mouse_too(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["phase1"]) as campaign:
        page = at_task(computer(), campaign, "phase1")
        page.locator(".line.here .text").dblclick(position={"x": 20, "y": 10})
        page.get_by_role("toolbar").get_by_role("button", name="Report as a markable").click()
        expect(page.get_by_role("list", name="Reported markables")).to_contain_text("Nájemce")
        scale = page.get_by_role("slider", name="Fluency").last
        box = scale.locator(".track").bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] * 0.71, box["y"] + box["height"] / 2)
        all_saved(page)
        assert campaign.values("phase1")["line:0/B"]["fluency"] == 0.7


def test_answers_wait_for_the_network(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["phase1"]) as campaign:
        context = computer()
        page = at_task(context, campaign, "phase1")
        press(page, "1")
        all_saved(page)
        context.set_offline(True)
        press(page, "2", "3", "4", "5")
        expect(page.get_by_role("status").first).to_contain_text("Offline · 3 waiting")
        press(page, "k", "6")  # one that was sent in vain is changed once more
        assert len(campaign.events()) == 1
        page.close()
        context.set_offline(False)
        later = entered(context, campaign)
        all_saved(later)
        values = campaign.values("phase1")
        assert (values["line:0/A"]["adequacy"], values["line:0/A"]["fluency"]) == (0.6, 0.2)
        assert (values["line:0/B"]["adequacy"], values["line:0/B"]["fluency"]) == (0.3, 0.4)
        assert values["line:1/A"]["adequacy"] == 0.5
        revisions = [e.revision for e in campaign.events() if e.item == "line:0/A"]
        assert revisions == [1, 2, 3]
        assert faults(campaign.store) == []


def test_counts_hear_of_answers_that_arrive_late(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["da"]) as campaign:
        page = at_task(computer(), campaign, "da")
        late: list[Route] = []
        page.route("**/api/answers", lambda route: late.append(route))
        press(page, "7", "ArrowDown", "5")
        with page.expect_response("**/api/me"):  # asked before the answers are there
            press(page, "h")
        expect(page.get_by_text("0 of 6 answered")).to_be_visible()
        expect(page.get_by_role("status").first).to_have_text("Saving…")
        for each in late:
            each.continue_()
        expect(page.get_by_text("2 of 6 answered")).to_be_visible()


def test_two_answers_to_one_question(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["phase1"]) as campaign:
        home, office = computer(), computer()
        first = at_task(home, campaign, "phase1")
        beside = at_task(home, campaign, "phase1")
        elsewhere = at_task(office, campaign, "phase1")
        press(first, "5")
        all_saved(first)
        expect(beside.get_by_role("slider").first).to_have_attribute("aria-valuetext", "0.5")
        press(elsewhere, "8")
        dialog = elsewhere.get_by_role("dialog")
        expect(dialog).to_contain_text("adequacy 0.8")
        expect(dialog).to_contain_text("adequacy 0.5")
        assert campaign.values("phase1")["line:0/A"]["adequacy"] == 0.5
        press(elsewhere, "1")
        all_saved(elsewhere)
        assert campaign.values("phase1")["line:0/A"]["adequacy"] == 0.8
        press(beside, "7")
        expect(beside.get_by_role("dialog")).to_contain_text("adequacy 0.8")
        press(beside, "2")
        expect(beside.get_by_role("slider").first).to_have_attribute("aria-valuetext", "0.8")
        all_saved(beside)
        assert [event.value["adequacy"] for event in campaign.events()] == [0.5, 0.8]


HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "\u202eright to left\u202c \u2066isolate",
    "مرحبا 𝒳😀 بالعالم ]]> <!-- &amp;",
    "<b>word</b> 😀 " * 7000,
)


def hostile_text() -> DocumentText:
    name = "\"'><img src=x onerror='window.hacked=1'>"
    return DocumentText(name, HOSTILE, {"one": HOSTILE, "two": HOSTILE}, HOSTILE, "ar", "ar")


def test_hostile_texts_stay_texts(computer: Computer, tmp_path: Path) -> None:
    with served(tmp_path, ["phase1"], [hostile_text()], HOSTILE[0]) as campaign:
        page = at_task(computer(), campaign, "phase1")
        lines = page.locator(".document [data-place]")
        assert tuple(line.text_content() for line in lines.all()) == HOSTILE
        for number, text in enumerate(HOSTILE):
            assert page.locator(".rows .own").first.text_content() == text
            press(page, str(number), str(number))
            press(page, "d", "d", "j")
        expect(page.locator("article.row.here .own")).to_be_visible()
        press(page, "k", "g", "o", "ArrowLeft", "m")  # right to left: the next word is to the left
        page.locator(".line .number").nth(4).click()
        press(page, "o", "End", "m")
        all_saved(page)
        values = campaign.values("phase1")
        assert values["line:3/A"]["reported"] == [
            {"side": "output", "start": 6, "end": 7, "text": "𝒳"}
        ]
        last = values["line:4/A"]["reported"][0]
        assert "".join([*HOSTILE[4]][last["start"] : last["end"]]) == last["text"] == "😀"
        assert page.evaluate("window.hacked") is None
        assert page.locator(".page img, .page b, .page script, .page iframe").count() == 0
        direction = page.locator("article.row .own .text").first
        assert direction.evaluate("e => getComputedStyle(e).unicodeBidi") in (
            "isolate",
            "plaintext",
        )


@pytest.mark.parametrize("look", ["light", "dark"])
def test_everyone_can_use_it(computer: Computer, tmp_path: Path, look: str) -> None:
    """axe looks for what shuts people out: contrast, names, roles, keyboard traps."""
    with served(tmp_path, ["phase1", "phase2", "spans", "contrastive", "consistency"]) as campaign:
        context = computer()
        page = entered(context, campaign)
        page.emulate_media(color_scheme=look)  # type: ignore[arg-type]
        assert serious(page) == []
        for kind, keys in (
            ("phase1", "5c6sm"),
            ("phase2", "3r5g"),
            ("spans", "owv5"),
            ("contrastive", "owv5c"),
            ("consistency", "yk"),
        ):
            page.goto(f"{campaign.address}/#/task/{campaign.task(kind).id}")
            page.wait_for_selector(".workbench")
            press(page, *keys)
            assert serious(page) == [], kind
        press(page, "?")
        assert serious(page) == []


def test_only_the_page_is_served(tmp_path: Path, computer: Computer) -> None:
    with served(tmp_path, ["phase1"]) as campaign:
        request = computer().request
        for name, kind in (("annotate.js", "text/javascript"), ("annotate.css", "text/css")):
            answer = request.get(f"{campaign.address}/app/{name}")
            assert answer.headers["content-type"].startswith(kind)
            tag = {"If-None-Match": answer.headers["etag"]}
            assert request.get(f"{campaign.address}/app/{name}", headers=tag).status == 304
        frame = request.get(campaign.address).text()
        assert re.search(r"<script(?! defer src=)|<style| style=| on\w+=", frame) is None
        for path in ("build.json", "..%2fserver.py", "..%2F..%2F..%2Fetc%2Fpasswd", "%2e%2e/x"):
            assert request.get(f"{campaign.address}/app/{path}").status == 404
