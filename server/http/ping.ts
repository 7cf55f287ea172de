import { Type } from "typebox";
import type { App } from "./app.ts";
import { answers, closed } from "./schema.ts";

const Pong = closed({ response: Type.Literal("pong") });

/** GET /api/v1/ping: tells a client that its address, subdomain and key are right. */
export function registerPing(app: App): void {
  app.get(
    "/api/v1/ping",
    {
      config: { access: "authenticated" },
      schema: { tags: ["Ping"], summary: "Tell whether the key works", response: answers(200, Pong) },
    },
    () => ({ response: "pong" as const }),
  );
}
