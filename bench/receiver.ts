import { once } from "node:events";
import { createServer } from "node:http";

// Gets webhooks, in a process of its own, and says yes to each as soon as it is there.

const server = createServer((request, response) => {
  request.resume().once("end", () => response.writeHead(204).end());
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const address = server.address();
console.log(`port ${typeof address === "object" ? address?.port : ""}`);
