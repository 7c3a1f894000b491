// Reads every golden event with the generated TypeScript client and encodes it again. That
// golden.ts compiles shows that each event has the type of the document, without a field too many.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";
import { golden } from "./golden.js";

type Event = components["schemas"]["Event"];
type Missing = Exclude<components["schemas"]["EventName"], (typeof golden)[number]["type"]>;
const complete: [Missing] extends [never] ? true : Missing = true;

/** Returns the one event of a page of events, read from its JSON as the client reads it. */
async function read(body: string): Promise<Event> {
  const api = createClient<paths>({
    baseUrl: "http://dossier.invalid",
    fetch: async () => new Response(`[${body}]`, { headers: { "Content-Type": "application/json" } }),
  });
  const { data } = await api.GET("/candidates/{id}/events", { params: { path: { id: "cnd_1" } } });
  assert.equal(data?.length, 1);
  return data[0] as Event;
}

/** Returns the event with its timestamp as a moment. */
function atMoment(event: Event): object {
  const moment = Date.parse(event.timestamp);
  assert.ok(!Number.isNaN(moment), `${event.timestamp} is no timestamp`);
  return { ...event, timestamp: moment };
}

const folder = process.env["EVENTS"] ?? "";
const files = readdirSync(folder).filter((name) => name.endsWith(".v1.json"));
assert.equal(files.length, golden.length);
for (const file of files) {
  const body = readFileSync(`${folder}/${file}`, "utf8");
  const encoded = JSON.stringify(await read(body));
  assert.deepEqual(atMoment(JSON.parse(encoded)), atMoment(JSON.parse(body)), file);
}
assert.ok(complete);
console.log(`the generated TypeScript client gave back ${files.length} golden events`);
