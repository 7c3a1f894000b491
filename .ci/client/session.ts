// The main job as a session, by a client that a foreign generator made from the OpenAPI document.
// It type-checks and it runs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import createClient from "openapi-fetch";
import { Webhook } from "standardwebhooks";
import type { components, paths } from "./api.js";

const { BASE_URL, KEY, HOOK_PORT, PDF } = process.env as Record<"BASE_URL" | "KEY" | "HOOK_PORT" | "PDF", string>;
const api = createClient<paths>({ baseUrl: BASE_URL, headers: { Authorization: `Bearer ${KEY}` } });

/** The data of an answer that has to be a success. */
function ok<T>(result: { data?: T; error?: unknown; response: Response }): T {
  assert.equal(result.response.status, 200, `${result.response.url}: ${JSON.stringify(result.error)}`);
  return result.data as T;
}

/** Asks again until the answer is there, for at most 20 s. */
async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 20_000; Date.now() < end; await new Promise((r) => setTimeout(r, 50))) {
    const found = await ask();
    if (found !== undefined) return found;
  }
  throw new Error(`it never came to be that ${what}`);
}

let secret = "";
const received: components["schemas"]["Delivery"][] = [];
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    const event = new Webhook(secret).verify(body, request.headers as Record<string, string>);
    received.push(event as components["schemas"]["Delivery"]);
    assert.equal(request.headers["webhook-id"], received.at(-1)?.id);
    response.end();
  });
});
await new Promise<void>((listening) => receiver.listen(Number(HOOK_PORT), "127.0.0.1", listening));

ok(await api.POST("/customFields", { body: { entity: "candidate", reference: "permitNumber", label: "Permit number", type: "text" } }));
const form = ok(await api.POST("/forms", {
  body: { name: "Permit declaration", fields: [{ reference: "hasPermit", label: "Do you hold a permit?", type: "boolean", required: true }] },
}));
const card = ok(await api.POST("/documentTypes", { body: { name: "Tachograph card", check: { parser: "none", decision: "manual" } } }));
assert.deepEqual(card.submission, { rules: [] });
const scenario = ok(await api.POST("/scenarios", {
  body: {
    name: "Card needed", eventName: "candidateMessageSent", active: false,
    notification: { subject: "One more document", text: "Please upload your tachograph card." },
  },
}));
const permit = ok(await api.POST("/documentTypes", {
  body: {
    name: "Work permit",
    requiredParts: ["front"],
    check: {
      parser: "pdf", decision: "automatic", required: ["permit.number", "permit.class"], expiryReference: "permit.expires",
      fields: [
        { reference: "permit.number", label: "Permit number", type: "text" },
        { reference: "permit.class", label: "Class", type: "text" },
        { reference: "permit.expires", label: "Valid until", type: "date" },
      ],
    },
    writeBack: [{ from: "permit.number", to: "cf_permitNumber" }],
    submission: {
      rules: [
        {
          conditionsType: "and",
          conditions: [
            { type: "fields", reference: "permit.class", operator: "contains", value: ["C", "CE"] },
            { type: "context", reference: "cf_permitNumber", operator: "isNotEmpty" },
          ],
          actions: [
            { type: "addDocumentType", value: card.id, metadata: { required: true, note: "professional driver" } },
            { type: "sendNotification", value: scenario.id },
          ],
        },
        {
          conditionsType: "or",
          conditions: [
            { type: "context", reference: "nationality", operator: "isEqual", value: ["NLD"] },
            { type: "fields", reference: "permit.number", operator: "isNotEmpty" },
          ],
          actions: [{ type: "removeForm", value: form.id }],
        },
      ],
    },
  },
}));
assert.ok(permit.submission.rules.every((rule) => rule.id.startsWith("rul_")));
const integration = ok(await api.POST("/integrations", {
  body: { name: "HR system", triggerEvent: "candidateDocumentValidated", target: { type: "webhook", url: `http://127.0.0.1:${HOOK_PORT}/hook` } },
}));
secret = integration.secret ?? "";
const page = ok(await api.POST("/registration-pages", {
  body: { name: "Drivers", slug: `drivers-${process.pid}`, documents: [{ documentTypeId: permit.id, required: true }], formIds: [form.id] },
}));
const candidate = ok(await api.POST("/registration-pages/{id}/register", {
  params: { path: { id: page.id } },
  body: { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", nationality: "NLD" },
}));
assert.equal(candidate.status, "collecting");

const [asked] = ok(await api.GET("/candidateDocumentTypes", { params: { query: { "filter[candidateId]": candidate.id, "filter[state][]": ["requested"] } } }));
assert.ok(asked);
assert.equal(asked.documentType.submission.rules.length, 2);
const id = asked.id;
const body: components["schemas"]["InlineUpload"] = {
  parts: [{ name: "front", fileName: "permit.pdf", contentType: "application/pdf", content: readFileSync(PDF).toString("base64") }],
};
const uploaded = ok(await api.POST("/candidateDocumentTypes/{candidateDocumentTypeId}/upload", { params: { path: { candidateDocumentTypeId: id } }, body }));
assert.ok("state" in uploaded);
assert.equal(uploaded.state, "processing");
assert.equal(uploaded.document?.version, 1);
const refused = await api.POST("/containers/{candidateDocumentTypeId}/upload", { params: { path: { candidateDocumentTypeId: id } }, body });
assert.equal(refused.response.status, 409);
assert.equal(refused.error?.code, "NOT_ALLOWED_UNTIL_DOCUMENT_IN_PROCESSING");
assert.ok(refused.error?.lock?.startedAt);
assert.equal(refused.response.headers.get("Retry-After"), "1");

const checked = await until("the check ends", async () => {
  const now = ok(await api.GET("/candidateDocumentTypes/{id}", { params: { path: { id } } }));
  return now.state === "processing" ? undefined : now;
});
assert.equal(checked.state, "validated");
assert.equal(checked.lock, null);
assert.deepEqual(checked.document?.parsed, { permit: { number: "NL-204", class: "CE", expires: "2031-05-01" } });
const [run] = ok(await api.GET("/candidateDocumentTypes/{id}/ruleRuns", { params: { path: { id } } }));
assert.ok(run?.applied && run.rules[0]?.matched);
assert.deepEqual(run.rules[0]?.conditions.map((c) => [c.read, c.result]), [["CE", true], ["NL-204", true]]);
assert.deepEqual(run.rules[0]?.actions.map((a) => [a.type, a.changed]), [["addDocumentType", true], ["sendNotification", true]]);
const after = ok(await api.GET("/candidates/{id}", { params: { path: { id: candidate.id } } }));
assert.equal(after.customFields["permitNumber"], "NL-204");
assert.deepEqual([after.forms, after.status], [[], "collecting"]);
const [message] = ok(await api.GET("/candidates/{candidateId}/messages", { params: { path: { candidateId: candidate.id } } }));
assert.deepEqual([message?.author.type, message?.text, message?.state], ["system", "Please upload your tachograph card.", "unread"]);

const event = await until("the webhook arrives", async () => received[0]);
assert.deepEqual([event.type, event.candidateId], ["candidateDocumentValidated", candidate.id]);
const entry = await until("the delivery is in the log", async () => {
  const [newest] = ok(await api.GET("/integrations/logs", { params: { query: { "filter[integrationId]": integration.id } } }));
  return newest?.status === "delivered" ? newest : undefined;
});
assert.deepEqual([entry.eventId, entry.attempts[0]?.statusCode], [event.id, 200]);
assert.equal(received.length, 1);
receiver.close();
console.log("the generated client did the session");
