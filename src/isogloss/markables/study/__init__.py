"""The WMT20 markable study (Zouhar, Vojtěchová and Bojar 2020): its data, its tables, its flaws."""
