"""Sessions end when they were idle or grew old; failed attempts to sign in have to wait."""

from __future__ import annotations

from small_service import Clock

from medground.faces.web.sessions import IDLE, LONGEST, MOST_FAILED, WINDOW, Sessions, Throttle, matches


def test_a_session_is_found_by_its_secret_alone_until_it_or_all_of_a_person_end() -> None:
    sessions = Sessions(Clock())
    secret, session = sessions.begin("ada")
    other, another = sessions.begin("ada")
    bobs, _ = sessions.begin("bob")
    assert len(secret) >= 43
    assert sessions.find(secret) == session
    assert secret != other
    assert matches(session, session.csrf)
    assert not matches(session, another.csrf)
    assert not matches(session, "")
    assert sessions.find("") is None
    assert secret not in repr(vars(sessions))
    sessions.end(secret)
    sessions.end(secret)
    assert sessions.find(secret) is None
    assert sessions.find(other) is not None
    sessions.end_of("ada")
    assert sessions.find(other) is None
    assert sessions.find(bobs) is not None


def test_a_session_ends_when_idle_after_a_week_and_when_there_are_too_many() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    secret, _ = sessions.begin("ada")
    clock.now += IDLE + 1
    assert sessions.find(secret) is None
    secret, began = sessions.begin("ada")
    while clock.now - began.began < LONGEST - IDLE / 2:
        clock.now += IDLE / 2
        assert sessions.find(secret) is not None
    clock.now += IDLE / 2 + 1
    assert sessions.find(secret) is None
    few = Sessions(Clock(), most=2)
    first, second = few.begin("a")[0], few.begin("b")[0]
    few.find(first)
    third, _ = few.begin("c")
    assert [few.find(one) is not None for one in (first, second, third)] == [True, False, True]


def test_after_a_few_failures_an_address_waits_and_success_forgives() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    for _ in range(MOST_FAILED):
        assert throttle.wait("1.2.3.4") == 0
        throttle.failed("1.2.3.4")
        clock.now += 1
    assert throttle.wait("1.2.3.4") == WINDOW - MOST_FAILED
    assert throttle.wait("5.6.7.8") == 0
    clock.now += WINDOW - MOST_FAILED
    assert throttle.wait("1.2.3.4") == 0
    for _ in range(MOST_FAILED - 1):
        throttle.failed("a")
    throttle.succeeded("a")
    throttle.failed("a")
    assert throttle.wait("a") == 0
