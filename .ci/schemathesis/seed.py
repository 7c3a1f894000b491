"""Fills a process with a dossier of every kind and writes the configuration with which Schemathesis finds them.

Without it hardly any request that is made up would name something that exists. Arguments: the configuration to start from, the PDF
of a work permit, the configuration to write. Environment: BASE_URL, KEY.
"""

import base64
import json
import os
import sys
import time
import urllib.parse
import urllib.request

BASE, KEY = os.environ["BASE_URL"], os.environ["KEY"]
COPIES = 12  # of each, because the run deletes
STAMP = format(time.time_ns(), "x")  # the same process can be filled again


def call(method, path, body=None):
    request = urllib.request.Request(BASE + path, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header("Authorization", "Bearer " + KEY)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def post(path, **body):
    return call("POST", path, body)


def settings(i):
    """One entity of each kind of settings; the ids by kind."""
    form = post("/forms", name=f"Declaration {i}", fields=[{"reference": "hasPermit", "label": "Do you hold a permit?", "type": "boolean", "required": True}])["id"]
    card = post("/documentTypes", name=f"Card {i}", check={"parser": "none", "decision": "manual"})["id"]
    scenario = post("/scenarios", name=f"Card needed {i}", eventName="candidateMessageSent", active=i == 0, documentTypeIds=[card],
                    notification={"subject": "One more document", "text": "Please upload your card."})["id"]
    fields = [{"reference": "permit.number", "label": "Permit number", "type": "text"}]
    rules = [{"conditionsType": "and", "conditions": [{"type": "fields", "reference": "permit.number", "operator": "isNotEmpty"}],
              "actions": [{"type": "addDocumentType", "value": card}, {"type": "sendNotification", "value": scenario}, {"type": "removeForm", "value": form}]}]
    permit = post("/documentTypes", name=f"Work permit {i}", check={"parser": "pdf", "decision": "automatic", "fields": fields}, submission={"rules": rules})["id"]
    preset = post("/presets", name=f"Abroad {i}", set={"language": "en"}, documentTypeIds=[card], formIds=[form])["id"]
    page = post("/registration-pages", name=f"Drivers {i}", slug=f"drivers-{STAMP}-{i}", documents=[{"documentTypeId": permit}], formIds=[form], presetId=preset)["id"]
    field = post("/customFields", entity="candidate", reference=f"number{STAMP}x{i}", label="Number", type="text")["id"]
    integration = post("/integrations", name=f"HR {i}", triggerEvent="candidateDocumentValidated", target={"type": "webhook", "url": "https://hook.example.com/"})["id"]
    key = post("/keys", name=f"Reader {i}", kind="integration", scopes=["candidates:read"])["id"]
    return {"forms": form, "documentTypes": permit, "scenarios": scenario, "presets": preset, "registration-pages": page,
            "customFields": field, "integrations": integration, "keys": key}


def dossier(i, known, permit):
    """A candidate with a validated document, a run of the rules, one document to review, and a message; the ids by kind."""
    candidate = post(f"/registration-pages/{known['registration-pages']}/register", firstName="Ada", lastName=f"Lovelace {i}")["id"]
    message = post(f"/candidates/{candidate}/messages", text="Welcome")["id"]
    asked = call("GET", "/candidateDocumentTypes?filter[candidateId]=" + candidate)
    request = next(r["id"] for r in asked if r["documentType"]["id"] == known["documentTypes"])
    other = next(r["id"] for r in asked if r["id"] != request)
    document = upload(request, permit, "validated")
    upload(other, permit, "inReview")
    return {"candidates": candidate, "messages": message, "candidateDocumentTypes": [request, other], "documents": document}


def upload(request, content, state):
    """Uploads a document and waits until its check ends in the state; the id of the document."""
    post(f"/candidateDocumentTypes/{request}/upload", parts=[{"name": "front", "contentType": "application/pdf", "content": content}])
    end = time.monotonic() + 60
    while (got := call("GET", f"/candidateDocumentTypes/{request}"))["state"] == "processing":
        if time.monotonic() > end:
            sys.exit("the check does not end")
        time.sleep(0.1)
    if got["state"] != state:
        sys.exit(f"the document is {got['state']}: {got['document']['reasons']}")
    return got["document"]["id"]


def main():
    source, pdf, target = sys.argv[1:]
    with open(pdf, "rb") as file:
        permit = base64.b64encode(file.read()).decode()
    ids = {}
    for i in range(COPIES):
        known = settings(i)
        for kind, found in {**known, **dossier(i, known, permit)}.items():
            ids.setdefault(kind, []).extend(found if isinstance(found, list) else [found])
    end = time.monotonic() + 60
    while not (logs := [entry["id"] for entry in call("GET", "/integrations/logs")]):
        if time.monotonic() > end:
            sys.exit("nothing is in the log")
        time.sleep(0.1)
    ids["logs"] = logs
    ids["documentTypes"] += [post("/documentTypes", name="Not used")["id"] for _ in range(COPIES)]
    with open(source, encoding="utf-8") as file:
        lines = [file.read()]
    for kind, found in ids.items():
        lines.append(f"[dictionaries.{kind}]\nvalues = {json.dumps(found)}\n")
    lines.append("[parameters]\n" + "".join(bind(name, kind) for name, kind in {
        "path.candidateId": "candidates", "path.candidateDocumentTypeId": "candidateDocumentTypes", "path.documentId": "documents",
        "path.messageId": "messages", "path.formId": "forms", "body.candidateId": "candidates", "body.documentTypeId": "documentTypes",
        "body.documentTypeIds[*]": "documentTypes", "body.formIds[*]": "forms", "body.presetId": "presets",
        "body.documents[*].documentTypeId": "documentTypes", "body.integrationId": "integrations",
        "query.filter[candidateId]": "candidates", "query.filter[integrationId]": "integrations"}.items()))
    for path, kind in {"integrations/logs": "logs", **{k: k for k in ids}}.items():
        if kind in ("messages", "documents") or path == "logs":
            continue
        pattern = "^/" + path + "/\\{id\\}"
        lines.append(f"[[operations]]\ninclude-path-regex = {json.dumps(pattern)}\nparameters = {{ {bind('path.id', kind).strip()} }}\n")
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def bind(name, kind):
    return f'{json.dumps(name)} = {{ dictionary = "{kind}", probability = 0.8 }}\n'


if __name__ == "__main__":
    main()
