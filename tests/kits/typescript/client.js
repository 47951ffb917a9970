// Calls the server that its arguments start, and prints what the TypeScript SDK made of it.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "typescript", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }), { timeout: 120_000 });
const call = (name, values) => client.callTool({ name, arguments: values }, undefined, { timeout: 120_000 });
const { tools } = await client.listTools();
await call("ask", { question: "Does aspirin reduce the risk of stroke in adults?" });
const { resources } = await client.listResources();
const answer = { type: "ref/resource", uri: "medground://answer/{id}" };
const told = {
  capabilities: Object.keys(client.getServerCapabilities()).sort(),
  tools: tools.map((tool) => tool.name),
  corpora: tools[0].inputSchema.properties.corpora.items.enum,
  resources: resources.map((resource) => resource.uri),
  prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  completed: (await client.complete({ ref: answer, argument: { name: "id", value: "stroke" } })).completion.values,
  read: (await client.readResource({ uri: resources[0].uri })).contents[0].text,
  found: (await call("search", { query: "aspirin stroke" })).structuredContent.results.length,
  wrong: (await call("search", { query: "x", limit: 51 })).structuredContent.detail,
};
console.log(JSON.stringify(told));
await client.close();
