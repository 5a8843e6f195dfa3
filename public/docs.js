/* The page of /docs: takes a token, loads the description with it, and lets every call be tried with it. */

const form = document.querySelector('form');
const field = document.querySelector('#token');
const status = document.querySelector('[role=status]');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const token = field.value.trim().replace(/^Bearer\s+/i, '');
  try {
    show(await describe(token), token);
    say('Every call of this page is made with the token.');
  } catch (error) {
    say(error.message, 'refused');
  }
});

async function describe(token) {
  // A header takes no other characters, and no token has them.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Error('This is not a token.');
  const answer = await fetch('/api-json', { headers: { Authorization: `Bearer ${token}` } });
  if (answer.status === 401) throw new Error('The token is not accepted: it may have expired.');
  if (!answer.ok) throw new Error(`The description could not be loaded (${answer.status}).`);
  return answer.json();
}

function show(description, token) {
  const ui = SwaggerUIBundle({
    spec: description,
    dom_id: '#description',
    deepLinking: true,
    docExpansion: 'list',
    tryItOutEnabled: true,
    // Otherwise the description would be sent to a validator elsewhere.
    validatorUrl: null,
    onComplete: () => setTimeout(() => ui.preauthorizeApiKey('bearer', token)),
  });
}

function say(text, kind = '') {
  status.textContent = text;
  status.className = kind;
}
