import { startServer } from "./test/server.ts";
await using lectern = await startServer({ corsOrigins: ["https://app.example.com"] });
const { acme, app } = lectern;
async function raw(label: string, o: any) {
  const t0 = performance.now();
  const r = await app.inject({ ...o, headers: { authorization: acme.authorization, ...o.headers } });
  console.log(label, "→", r.statusCode, r.body.slice(0, 200), JSON.stringify(Object.fromEntries(Object.entries(r.headers).filter(([k]) => ["allow","vary","etag","retry-after","www-authenticate","access-control-allow-origin","access-control-allow-methods","access-control-expose-headers","content-type"].includes(k)))), (performance.now()-t0).toFixed(0)+"ms");
}
await raw("encoded api", { method: "GET", url: "/%61pi/v1/users" });
await raw("encoded api no auth", { method: "GET", url: "/%61pi/v1/users", headers: { authorization: "" } });
await raw("double slash", { method: "GET", url: "//api/v1/users" });
await raw("absolute", { method: "GET", url: "http://evil.example/api/v1/users?per_page=1" });
await raw("openapi", { method: "GET", url: "/openapi.json" });
await raw("cors unknown", { method: "GET", url: "/api/v1/nope", headers: { origin: "https://app.example.com" } });
await raw("cors preflight PUT", { method: "OPTIONS", url: "/api/v1/users/1", headers: { authorization: "", origin: "https://app.example.com", "access-control-request-method": "PUT" } });
await raw("cors options plain", { method: "OPTIONS", url: "/api/v1/users/1", headers: { } });
await raw("cors options noorigin", { method: "OPTIONS", url: "/nope", headers: { authorization: "" } });
await raw("cors 401", { method: "GET", url: "/api/v1/users", headers: { authorization: "", origin: "https://app.example.com" } });
await raw("cors other", { method: "GET", url: "/api/v1/users", headers: { origin: "https://evil.example" } });
await raw("patch", { method: "PATCH", url: "/api/v1/users" });
await raw("put users", { method: "PUT", url: "/api/v1/users" });
await raw("trace", { method: "TRACE", url: "/api/v1/users" });
await raw("propfind", { method: "PROPFIND", url: "/api/v1/users" });
await raw("head", { method: "HEAD", url: "/api/v1/users" });
await raw("put undefined", { method: "PUT", url: "/api/v1/users/1" });
await raw("put null", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "application/json" }, payload: "null" });
await raw("put ''", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "application/json" }, payload: '""' });
await raw("put array", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "application/json" }, payload: '[]' });
await raw("post nobody", { method: "POST", url: "/api/v1/users" });
await raw("zeros", { method: "PUT", url: "/api/v1/users/1/groups", headers: { "content-type": "application/json" }, payload: `{"memberships":[${"0,".repeat(500_000)}0]}` });
await raw("cuf zeros", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "application/json" }, payload: `{"custom_user_fields":[${"0,".repeat(500_000)}0]}` });
await raw("many wrong", { method: "PUT", url: "/api/v1/users/1/groups", headers: { "content-type": "application/json" }, payload: `{"memberships":[${"0,".repeat(9_999)}0]}` });
await raw("deep", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "application/json" }, payload: "[".repeat(10_000) + "]".repeat(10_000) });
await raw("deep obj", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "application/json" }, payload: '{"name":'.repeat(10_000) + "1" + "}".repeat(10_000) });
await raw("deep proto", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "application/json" }, payload: '{"__proto__":'.repeat(50_000) + "1" + "}".repeat(50_000) });
await raw("deep 1MiB", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "application/json" }, payload: "[".repeat(1_000_000) });
await raw("big", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "application/json" }, payload: JSON.stringify({ name: "x".repeat(1_100_000) }) });
await raw("text", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "text/plain" }, payload: "x" });
await raw("no type", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "" }, payload: "{}" });
await raw("bad type", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "nonsense" }, payload: "{}" });
await raw("json charset", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "application/json; charset=utf-8" }, payload: "{}" });
await raw("JSON upper", { method: "PUT", url: "/api/v1/users/1", headers: { "content-type": "Application/JSON" }, payload: "{}" });
await raw("bad host", { method: "GET", url: "/api/v1/users?per_page=1", headers: { host: "bad host[" } });
await acme.post("/api/v1/users", {name: "X", email: "x@y", role: "learner"});
await raw("bad host", { method: "GET", url: "/api/v1/users?per_page=1", headers: { host: "bad host[" } });
await raw("no host", { method: "GET", url: "/api/v1/users?per_page=1", headers: { host: "" } });
for (const accept of ["application/xml", "text/html", "*/*", "application/*", "application/json;q=0", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "", "garbage", "application/json; charset=utf-8", "application/vnd.api+json", "application/json;version=1"])
  await raw("accept " + accept, { method: "GET", url: "/api/v1/users?per_page=1", headers: { accept } });
for (const url of ["/api/v1/users.json", "/api/v1/users.xml", "/api/v1/users/1.json", "/api/v1/users/1.csv", "/api/v1/users/1.5", "/api/v1/users.JSON", "/api/v1/users/", "/api/v1/users/1.json/archive", "/api/v1.1/users/1", "/api/v1.1/users.json", "/api/v1.2/users", "/api", "/api/", "/api/v1", "/apix", "/", "/api/v1/users/%zz", "/api/v1/users/%00", "/api/v1/users/%ff", "/api/v1/users/1%2F2", "/api/v1/users/%31", "/api/v1/users/01", "/api/v1/users/+1", "/api/v1/users/1e0", "/api/v1/users/9223372036854775808", "/api/v1/users/99999999999999999999999999", "/api/v1/users/0", "/api/v1/users/-1", "/api/v1/users?page=1&page=2", "/api/v1/users?filter[custom_user_field][99999999999999999999]=x", "/api/v1/users?filter[custom_user_field][x]=x", "/api/v1/users?filter=x", "/api/v1/users?gt[updated_at]=x", "/api/v1/users?filter[email]=%00", "/api/v1/users?__proto__=1&constructor=2", "/api/v1/users?filter[__proto__]=1", "/api/v1/users?after=x","/api/v1/users?after=9999999999999999", "/api/v1/users?%zz=1&filter%5bemail%5d=a", "/api/v1/users?page=99999999999999999999&per_page=99999999999999999999", "/api/v1/users?per_page=&page=", "/api/v1/ping", "/api/v1/users;x=1"])
  await raw(url.slice(0,70), { method: "GET", url });
for (const [l, h] of Object.entries({ none: "", bearer: "Bearer x", basic: "Basic", sp: "Basic  " + acme.authorization.slice(6) + " ", lower: acme.authorization.replace("Basic", "basic"), noncolon: "Basic " + btoa("acme"), bad64: "Basic ***", latin: "Basic " + Buffer.from([0xff,0xfe,0x3a,0x41]).toString("base64"), nul: "Basic " + btoa("acme\0:" + acme.key), third: "Basic " + btoa(`acme:${acme.key}:`), fourth: "Basic " + btoa(`acme:${acme.key}:x`), upper: "Basic " + btoa(`ACME:${acme.key}`), other: "Basic " + btoa(`globex:${acme.key}`), nopad: "Basic " + btoa(`acme:${acme.key}`).replace(/=+$/, ""), huge: "Basic " + "A".repeat(15000), raw: `Basic acme:${acme.key}` }))
  await raw("auth " + l, { method: "GET", url: "/api/v1/ping", headers: { authorization: h } });
