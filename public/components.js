/* The parts of Swagger UI that this page replaces or changes. */

/** The tags of operations that few pages of a frontend need. */
const PROTOCOL_TAGS = ['Authentication', 'Changes', 'Audit', 'Description', 'Health'];
/** The parameters that stand above Execute, in this order, after the required ones. */
const FIRST_PARAMETERS = ['by', 'q', 'status', 'sort', 'expand', 'limit'];
/** An operation with more parameters shows only the first ones, and the rest under a fold. */
const MOST_PARAMETERS = 8;

/** The components for which the page has a place of its own or no use. */
export function replacedComponents({ createElement }) {
  const nothing = () => null;
  return {
    FilterContainer: nothing,
    AuthorizeBtnContainer: nothing,
    authorizeOperationBtn: nothing,
    ServersContainer: nothing,
    // Swagger UI puts a link into a button, which screen readers can read as neither.
    DeepLink: ({ text }) => createElement('span', null, text),
  };
}

export function wrappedComponents({ createElement, Fragment, useEffect, useRef }) {
  const fold = (title, open, ...content) =>
    createElement('details', { className: 'fold', open }, createElement('summary', null, title), ...content);
  /** For each operation, the element with the parameters that the fold below Execute shows. */
  const foldedParameters = new Map();
  /** Headers of the responses that had the focus once: showing one again must not take the focus from another place. */
  const seen = new WeakSet();

  return {
    /** An operation is opened before it is resolved; sent then, it would not be found. */
    execute: (Execute) => (props) =>
      createElement(Execute, { ...props, disabled: props.disabled || !props.operation.has('operationId') }),

    InfoContainer: (Info) => (props) => fold('How requests and responses work', false, createElement(Info, props)),

    operations: (Operations) => (props) => {
      const [others, protocol] = partition(props.specSelectors.taggedOperations(), (_operations, tag) =>
        PROTOCOL_TAGS.includes(tag),
      );
      const shown = (tags) =>
        createElement(Operations, {
          ...props,
          specSelectors: { ...props.specSelectors, taggedOperations: () => tags },
        });
      const [, linked = ''] = decodeURIComponent(location.hash).split('/');
      const isOpen = Boolean(props.layoutSelectors.currentFilter()) || PROTOCOL_TAGS.includes(linked);
      return createElement(
        Fragment,
        null,
        others.size > 0 && shown(others),
        protocol.size > 0 &&
          fold(`Protocol: ${[...protocol.keys()].join(', ').toLowerCase()}`, isOpen, shown(protocol)),
      );
    },

    parameters: (Parameters) => (props) => {
      const [rest, first] = partition(props.parameters, isFirstParameter);
      const key = String(props.pathMethod);
      if (props.parameters.size <= MOST_PARAMETERS || rest.size === 0) {
        foldedParameters.delete(key);
        return createElement(Parameters, props);
      }
      // The request body stands above Execute.
      const operation = props.operation.delete('requestBody');
      const folded = createElement(Parameters, { ...props, operation, parameters: rest });
      foldedParameters.set(key, fold(`${rest.size} more parameters`, undefined, folded));
      return createElement(Parameters, { ...props, parameters: first.sortBy(rankOfParameter) });
    },

    /** The responses stand below Execute; the folded parameters stand between both. */
    responses: (Responses) => (props) =>
      createElement(
        Fragment,
        null,
        foldedParameters.get(String([props.path, props.method])),
        createElement(Responses, props),
      ),

    liveResponse: (LiveResponse) => (props) => {
      const place = useRef(null);
      useEffect(() => {
        // A changed parameter makes a new response with the same headers. A request that failed has no headers.
        const known = props.response.get('headers') ?? props.response;
        if (seen.has(known)) return;
        seen.add(known);
        const answer = place.current.querySelector('.live-responses-table');
        Object.assign(answer, { tabIndex: -1, ariaLabel: 'Server response' });
        answer.focus({ preventScroll: true });
        answer.scrollIntoView({ block: 'start' });
      }, [props.response]);
      return createElement('div', { ref: place }, createElement(LiveResponse, props));
    },
  };
}

function isFirstParameter(parameter) {
  return parameter.get('required') || FIRST_PARAMETERS.includes(parameter.get('name'));
}

/** Required parameters, such as those of the path, have -1 and come first. */
function rankOfParameter(parameter) {
  return FIRST_PARAMETERS.indexOf(parameter.get('name'));
}

/** Splits an Immutable collection into the entries without and with the property. */
function partition(collection, has) {
  return [collection.filterNot(has), collection.filter(has)];
}
