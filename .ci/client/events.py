"""Reads every golden event with the generated Python client and encodes it again."""

import datetime
import json
import os
import pathlib

import httpx
from dossier_client import AuthenticatedClient
from dossier_client.api.candidates import list_candidate_events
from dossier_client.models import EventName


def same(a, b):
    """Reports whether two JSON values are equal, where timestamps are equal as moments."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and (a == b or moment(a) == moment(b) is not None)


def moment(value):
    """Returns the moment of an RFC 3339 timestamp, and None for every other value."""
    try:
        return datetime.datetime.strptime(value, "%Y-%m-%dT%H:%M:%S.%f%z")
    except (TypeError, ValueError):
        pass
    try:
        return datetime.datetime.strptime(value, "%Y-%m-%dT%H:%M:%S%z")
    except (TypeError, ValueError):
        return None


def read(body):
    """Returns the one event of a page of events, read from its JSON as the client reads it."""
    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=f"[{body}]"))
    client = AuthenticatedClient(
        base_url="http://dossier.invalid", token="key", httpx_args={"transport": transport}
    )
    (event,) = list_candidate_events.sync(id="cnd_1", client=client)
    return event


names = set()
for path in sorted(pathlib.Path(os.environ["EVENTS"]).glob("*.v1.json")):
    golden = json.loads(path.read_text())
    try:
        event = read(path.read_text())
    except Exception as error:
        error.add_note(f"{path.name} is no event of the document")
        raise
    name = golden["type"]
    want = f"{name[0].upper()}{name[1:]}Event"
    assert type(event).__name__ == want, f"{path.name} was read as {type(event).__name__}"
    encoded = json.loads(json.dumps(event.to_dict()))
    assert same(golden, encoded), f"{path.name} came back as {json.dumps(encoded, indent=2)}"
    names.add(name)

missing = {name.value for name in EventName} - names
assert not missing, f"there is no golden event of {sorted(missing)}"
print(f"the generated Python client gave back {len(names)} golden events")
