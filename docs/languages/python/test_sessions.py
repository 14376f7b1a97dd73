"""Tests that use the fixtures of conftest.py."""

from datetime import datetime, timezone

import pytest


def test_old_sessions_are_deleted(replica_set, client):
    sessions = client.app.sessions
    sessions.create_index("lastSeen", expireAfterSeconds=60)
    sessions.insert_one({"lastSeen": datetime.now(timezone.utc)})
    replica_set.control("advance", "61s")
    replica_set.control("until-ttl-pass", {})
    assert sessions.count_documents({}) == 0


def test_orders_survive_a_failover(replica_set, client):
    orders = client.app.orders
    orders.insert_one({"_id": 1})
    killed = replica_set.control("status")["primary"]
    elected = replica_set.control("fault", {"kill": "primary", "untilPrimary": True})["primary"]
    assert elected != killed
    orders.insert_one({"_id": 2})
    assert orders.count_documents({}) == 2


def test_a_mistake_says_what_is_wrong(replica_set):
    with pytest.raises(RuntimeError, match="fault has no field \"kil\""):
        replica_set.control("fault", {"kil": "primary"})
