// The words of the page. English stands in the code; `src/words/LANGUAGE.json` has each text in another language.
//
// - Text between tags, and in the attributes of `SHOWN`, is taken as it stands: the plugin hands it to `tx` when the page
//   is built. What stands between two pieces of a text is `{0}`, `{1}` … in its key, and may stand elsewhere in another language.
// - Other texts that people read are written t`so`, counted things many(3, "paper"), and names that stay English where they
//   are kept listed("so"), to be shown by word(name).
// - What the server says is translated by its forms (`src/forms.ts`), clause by clause.
// - Text of others has `dir="auto"`, and gets `lang="en"`, except what a person types.
//
// `node words.js` lists what a language lacks or has too much, and texts of the code that are in no file; `npm run build` runs it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "src");
const SHOWN = new Set(["aria-label", "title", "placeholder", "label", "words", "hint", "name", "alt", "action"]);
/** What looks like a text, and is none. */
const TECHNICAL = /^(Content-Type|Accept|Last-Event-ID|X-CSRF-Token|Arrow\w+|Escape|Enter|Tab|Shift|PubMed|Markdown|BibTeX|Word|\{0\} · Medground|\(.*\)|[@#.\w-]*([/\\=[]|:(?! )).*)$/s;

/** Texts of a file, and the edits that hand them to `tx`. */
export function texts(file, code) {
  const { program, errors } = parseSync(file, code);
  if (errors.length) throw new Error(`${file}: ${errors[0].message}`);
  const found = { keys: new Map(), edits: [], outside: [], places: [] };
  const line = (node) => code.slice(0, node.start).split("\n").length;
  const add = (key, node) => found.keys.set(key, `${file}:${line(node)}`);
  walk(program, [], (node, above) => {
    const parent = above.at(-1);
    if (node.type === "JSXElement" || node.type === "JSXFragment") ofChildren(node, code, found.edits, add);
    else if (node.type === "JSXOpeningElement") ofAttributes(node, found.edits, add);
    else if (node.type === "TaggedTemplateExpression" && node.tag.name === "t") add(keyOf(node.quasi), node);
    else if (node.type === "CallExpression" && node.callee.name === "many" && node.arguments[1]?.type === "Literal") {
      for (const end of ["", "s"]) add(`{0} ${node.arguments[1].value}${end}`, node);
    } else if (node.type === "CallExpression" && node.callee.name === "listed") {
      for (const one of node.arguments) add(one.value, one);
    } else if (looksLikeText(node, parent, above)) found.places.push(node), found.outside.push(`${file}:${line(node)}: ${code.slice(node.start, node.end)}`);
  });
  return found;
}

function walk(node, above, visit) {
  if (Array.isArray(node)) for (const one of node) walk(one, above, visit);
  else if (node && typeof node === "object") {
    if (typeof node.type === "string") visit(node, above);
    const inner = typeof node.type === "string" ? [...above, node] : above;
    for (const [name, value] of Object.entries(node)) if (typeof value === "object") walk(value, inner, visit);
  }
}

const keyOf = (quasi) => quasi.quasis.map((one, place) => (place ? `{${place - 1}}` : "") + one.value.cooked).join("");
const hasLetters = (text) => /\p{L}/u.test(text);
/** White space as JSX takes it. */
const cleaned = (text) => {
  const lines = text.split(/\r?\n/);
  return lines.map((one, place) => one.replace(place ? /^[ \t]+/ : /^$/, "").replace(place < lines.length - 1 ? /[ \t]+$/ : /^$/, "")).filter(Boolean).join(" ");
};
const entities = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").replaceAll("&nbsp;", " ");

/** The text among the children of an element as one message. */
function ofChildren(node, code, edits, add) {
  const children = node.children
    .filter((one) => one.type !== "JSXText" || cleaned(one.value))
    .filter((one) => one.expression?.type !== "JSXEmptyExpression")
    .map((one) => ({ node: one, text: one.type === "JSXText" ? entities(cleaned(one.value)) : one.expression?.type === "Literal" ? String(one.expression.value) : null }));
  const lettered = children.map((one) => one.text !== null && hasLetters(one.text));
  let [first, last] = [lettered.indexOf(true), lettered.lastIndexOf(true)];
  if (first < 0) return;
  const joins = (one) => one && (one.text !== null || (one.node.type === "JSXExpressionContainer" && !/<\w|<>/.test(code.slice(one.node.start, one.node.end))));
  while (joins(children[first - 1])) first--;
  while (joins(children[last + 1])) last++;
  const span = children.slice(first, last + 1);
  const inner = span.filter((one) => one.text === null).map((one) => one.node.expression ?? one.node);
  const message = span.map((one) => one.text ?? `{${inner.indexOf(one.node.expression ?? one.node)}}`).join("");
  const key = message.trim();
  add(key, span[0].node.type === "JSXText" ? node : span[0].node);
  const [before, after] = [message.slice(0, message.indexOf(key)), message.slice(message.indexOf(key) + key.length)].map((space) => (space ? '{" "}' : ""));
  const ends = [...inner.map((one) => one.start), span.at(-1).node.end];
  edits.push([span[0].node.start, ends[0], `${before}{tx(${JSON.stringify(key)}${inner.length ? ", " : ""}`]);
  inner.forEach((one, place) => edits.push([one.end, ends[place + 1], place < inner.length - 1 ? ", " : ""]));
  edits.push([ends.at(-1), ends.at(-1), `)}${after}`]);
}

function ofAttributes(node, edits, add) {
  const named = Object.fromEntries(node.attributes.filter((one) => one.type === "JSXAttribute").map((one) => [one.name.name, one]));
  for (const one of Object.values(named)) {
    if (one.value?.type !== "Literal" || !SHOWN.has(one.name.name) || !hasLetters(one.value.value)) continue;
    add(one.value.value, one);
    edits.push([one.value.start, one.value.end, `{tx(${JSON.stringify(one.value.value)})}`]);
  }
  if (named.dir && !named.lang && !["input", "textarea"].includes(node.name.name)) edits.push([named.dir.end, named.dir.end, ' lang="en"']);
}

/** Whether a string of the code is one that people read: two words, or one with a capital. */
function looksLikeText(node, parent, above) {
  const template = node.type === "TemplateLiteral";
  if (!template && !(node.type === "Literal" && typeof node.value === "string")) return false;
  const text = template ? keyOf(node) : node.value;
  if (!/\p{L}{2,}[,;]? \p{L}{2,}|^\P{L}*\p{Lu}\p{Ll}+[.…]?$|\{\d\} \p{L}{2,}|\p{L}{2,} \{\d\}/u.test(text) || TECHNICAL.test(text)) return false;
  if (parent.type === "JSXAttribute" || (parent.type === "CallExpression" && ["many", "listed", "includes", "startsWith"].includes((parent.callee.property ?? parent.callee).name))) return false;
  if (["TaggedTemplateExpression", "BinaryExpression", "ImportDeclaration", "ImportExpression", "SwitchCase"].includes(parent.type)) return false;
  if (parent.type === "Property" && parent.key === node) return false;
  if (above.some((one) => /^TS.*Type/.test(one.type))) return false;
  const attribute = above.findLast((one) => one.type === "JSXAttribute");
  return !attribute || SHOWN.has(attribute.name.name) || !["class", "style", "id", "d", "viewBox", "for", "rel"].includes(attribute.name.name);
}

/** The plugin of Vite. */
export const words = () => ({
  name: "words",
  enforce: "pre",
  transform(code, id) {
    if (!id.startsWith(SOURCE) || !id.endsWith(".tsx")) return null;
    const { edits } = texts(id, code);
    const changed = edits.sort((one, other) => other[0] - one[0] || other[1] - one[1]).reduce((text, [start, end, put]) => text.slice(0, start) + put + text.slice(end), code);
    return { code: `import { tx } from ${JSON.stringify(join(SOURCE, "words.ts"))};\n${changed}`, map: null };
  },
});

/** What is wrong with the words, one line each. */
function check() {
  const [keys, wrong] = [new Map(), []];
  for (const file of readdirSync(SOURCE, { recursive: true }).filter((one) => /(?<!\.d)\.tsx?$/.test(one) && one !== "words.ts")) {
    const found = texts(file, readFileSync(join(SOURCE, file), "utf8"));
    for (const [key, where] of found.keys) keys.set(key, where);
    wrong.push(...found.outside.map((one) => `${one} is in no file of words; write it t\`so\``));
  }
  if (process.argv.includes("--keys")) return console.log(JSON.stringify(Object.fromEntries(keys), null, 1));
  for (const file of readdirSync(join(SOURCE, "words"))) {
    const has = JSON.parse(readFileSync(join(SOURCE, "words", file), "utf8"));
    for (const [key, where] of keys) if (!has[key]) wrong.push(`${file} lacks ${JSON.stringify(key)} (${where})`);
    for (const [key, said] of Object.entries(has)) {
      const places = (text) => [...text.matchAll(/\{\d\}/g)].map(String).sort().join();
      if (!keys.has(key)) console.log(`${file} has ${JSON.stringify(key)}, which the page does not`);
      else if (places(key) !== places(said)) wrong.push(`${file}: ${JSON.stringify(key)} and its translation have other places`);
    }
  }
  for (const one of wrong) console.error(one);
  console.log(`${keys.size} texts; ${wrong.length} wrong`);
  process.exitCode = wrong.length ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) check();
