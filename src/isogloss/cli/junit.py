"""A gate as JUnit XML, the form in which CI servers read tests: a test case for each check."""

from collections.abc import Callable

from lxml import etree

from isogloss.comparison import Gate, GateCheck


def junit_xml(gate: Gate, reason: Callable[[GateCheck], str]) -> bytes:
    """The file; `reason` says why a check fails."""
    failures = sum(not check.passed for check in gate.checks)
    counts = {"tests": str(len(gate.checks)), "failures": str(failures), "errors": "0"}
    suites = etree.Element("testsuites", counts)
    suite = etree.SubElement(suites, "testsuite", {"name": "isogloss check"} | counts)
    for check in gate.checks:
        names = {"classname": f"isogloss.{_clean(check.system)}", "name": check.metric.name}
        case = etree.SubElement(suite, "testcase", names)
        if not check.passed:
            said = {"type": check.verdict.value, "message": _clean(reason(check))}
            etree.SubElement(case, "failure", said).text = _details(check)
    return bytes(etree.tostring(suites, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _details(check: GateCheck) -> str:
    lines = {
        "new": check.new,
        "old": check.old,
        "gain": check.gain,
        "at worst": check.bound,
        "allowed loss": check.max_drop,
        "p": check.p,
        "signature": check.metric.signature,
    }
    return _clean("\n".join(f"{name}: {value}" for name, value in lines.items()))


def _clean(text: str) -> str:
    """The text without the signs that XML does not allow."""
    return "".join(c for c in text if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff"))
