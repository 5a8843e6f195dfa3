/** Gives, for words, the endpoints of a description that have them all, in any order: `get /api/sites`, and so on. */
export function endpointSearch({ paths }) {
  const texts = new Map();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (operation.operationId) texts.set(`${method} ${path}`, textOf(path, method, operation));
    }
  }
  return (words) => {
    const wanted = plain(words).split(/\s+/);
    const hasAll = ([, text]) => wanted.every((word) => text.includes(word));
    return new Set([...texts].filter(hasAll).map(([endpoint]) => endpoint));
  };
}

function textOf(path, method, { operationId, summary, description = '', tags, parameters = [] }) {
  const names = parameters.map(({ name = '' }) => name);
  return plain([method, path, operationId, summary, description, ...tags, ...names].join(' '));
}

/** Without accents and capitals. */
function plain(text) {
  return text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();
}
