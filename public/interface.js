import { replacedComponents, wrappedComponents } from './components.js';
import { endpointSearch } from './endpoint-search.js';

const EVERY_ANSWER_HAS = ['X-Request-Id', 'Cache-Control', 'RateLimit', 'RateLimit-Policy'];
const FIRST_TAGS = ['Clients', 'Reclamations'];

/**
 * Shows the OpenAPI description with Swagger UI, which asks for the token at each request. Returns the search, which
 * filters the operations and returns their number.
 */
export function showInterface(description, tokenOfNow, { onRefused }) {
  const search = endpointSearch(description);
  makeReachable(document.querySelector('#description'));
  const ui = SwaggerUIBundle({
    spec: briefly(description),
    dom_id: '#description',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    syntaxHighlight: { theme: 'obsidian' },
    plugins: [
      ({ React }) => ({
        fn: { opsFilter: filterBy(search) },
        components: replacedComponents(React),
        wrapComponents: wrappedComponents(React),
      }),
    ],
    // Without this line Swagger UI would send the description to a validator on another server.
    validatorUrl: null,
    requestInterceptor: async (request) => {
      request.headers.Authorization = `Bearer ${await tokenOfNow()}`;
      return request;
    },
    responseInterceptor: (response) => {
      if (response.status === 401) onRefused();
      response.headers = described(response.headers, description);
      return response;
    },
  });
  return (words) => {
    ui.layoutActions.updateFilter(words);
    return search(words).size;
  };
}

/** Replaces Swagger UI's own filter, which searches only the names of tags. */
function filterBy(search) {
  return (tags, words) => {
    const found = search(words);
    const isFound = (operation) => found.has(`${operation.get('method')} ${operation.get('path')}`);
    return tags
      .map((tag) => tag.update('operations', (operations) => operations.filter(isFound)))
      .filter((tag) => tag.get('operations').size > 0);
  };
}

/** Removes what every operation would repeat: the error envelope and the common headers. Puts FIRST_TAGS first. */
function briefly({ paths, components, tags, ...description }) {
  const sentence = ({ description: text }) => ({ description: text });
  const withoutCommon = ({ headers = {}, ...response }) => ({
    ...response,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !EVERY_ANSWER_HAS.includes(name))),
  });
  const brief = (operation) => ({ ...operation, responses: mapValues(operation.responses, withoutCommon) });
  const isFirst = ({ name }) => FIRST_TAGS.includes(name);
  return {
    ...description,
    tags: [...tags.filter(isFirst), ...tags.filter((tag) => !isFirst(tag))],
    paths: mapValues(paths, (operations) => mapValues(operations, brief)),
    components: { ...components, responses: mapValues(components.responses, sentence) },
  };
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

/** Keeps the headers of the description and those of the body; the others are for browsers and proxies. */
function described(headers, { components }) {
  const names = [...Object.keys(components.headers), 'Content-Type', 'Content-Length'];
  const known = new Set(names.map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => known.has(name.toLowerCase())));
}

/** Gives names to Swagger UI's unnamed fields for screen readers, and makes scrollable texts reachable by keyboard. */
function makeReachable(root) {
  new MutationObserver(() => {
    for (const field of root.querySelectorAll('input, select, textarea')) {
      const name = field.closest('tr')?.querySelector('.parameter__name')?.firstChild?.textContent;
      if (!field.labels?.length) field.ariaLabel ??= name ?? 'Request body';
    }
    for (const text of root.querySelectorAll('pre')) text.tabIndex = 0;
  }).observe(root, { childList: true, subtree: true });
}
