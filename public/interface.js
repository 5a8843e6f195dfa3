import { endpointSearch } from './endpoint-search.js';

const EVERY_ANSWER_HAS = ['X-Request-Id', 'Cache-Control', 'RateLimit', 'RateLimit-Policy'];

/** Draws the description with Swagger UI, each call with a token of its moment; gives what searches it, and says how much it found. */
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
        components: components(React),
        wrapComponents: { execute: onceResolved(React) },
      }),
    ],
    // Otherwise the description would be sent to a validator elsewhere.
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

/** Parts of Swagger UI for which the page has a place of its own, or no use. */
function components({ createElement }) {
  const nothing = () => null;
  return {
    FilterContainer: nothing,
    AuthorizeBtnContainer: nothing,
    authorizeOperationBtn: nothing,
    ServersContainer: nothing,
    // A link inside of a button, which it stands in, is neither to a screen reader.
    DeepLink: ({ text }) => createElement('span', null, text),
  };
}

/** An operation is opened before it is resolved; sent then, it would not be found. */
function onceResolved({ createElement }) {
  return (Execute) => (props) =>
    createElement(Execute, { ...props, disabled: props.disabled || !props.operation.has('operationId') });
}

/** Swagger UI's own filter knows the names of tags alone. */
function filterBy(search) {
  return (tags, words) => {
    const found = search(words);
    const isFound = (operation) => found.has(`${operation.get('method')} ${operation.get('path')}`);
    return tags
      .map((tag) => tag.update('operations', (operations) => operations.filter(isFound)))
      .filter((tag) => tag.get('operations').size > 0);
  };
}

/** Without what would stand below each operation again: the envelope of a dozen errors, the headers of every answer. */
function briefly({ paths, components, ...description }) {
  const sentence = ({ description: text }) => ({ description: text });
  const withoutCommon = ({ headers = {}, ...response }) => ({
    ...response,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !EVERY_ANSWER_HAS.includes(name))),
  });
  const brief = (operation) => ({ ...operation, responses: mapValues(operation.responses, withoutCommon) });
  return {
    ...description,
    paths: mapValues(paths, (operations) => mapValues(operations, brief)),
    components: { ...components, responses: mapValues(components.responses, sentence) },
  };
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

/** The headers that the description speaks of, and what the body is; the others are for browsers and proxies. */
function described(headers, { components }) {
  const names = [...Object.keys(components.headers), 'Content-Type', 'Content-Length'];
  const known = new Set(names.map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => known.has(name.toLowerCase())));
}

/** Swagger UI gives many fields no name that a screen reader could say, and the keyboard no way to what is scrolled. */
function makeReachable(root) {
  new MutationObserver(() => {
    for (const field of root.querySelectorAll('input, select, textarea')) {
      const name = field.closest('tr')?.querySelector('.parameter__name')?.firstChild?.textContent;
      if (!field.labels?.length) field.ariaLabel ??= name ?? 'Request body';
    }
    const introduction = root.querySelector('.info');
    if (introduction) Object.assign(introduction, { role: 'region', ariaLabel: 'Introduction' });
    for (const text of root.querySelectorAll('pre')) text.tabIndex = 0;
  }).observe(root, { childList: true, subtree: true });
}
