/** Shows the orders of the signed-in user. The page has neither the app secret nor the access token. */
const gateway = document.querySelector('meta[name=gateway]').content
const state = document.querySelector('#state')
const list = document.querySelector('#events')

function show(text, className) {
  const item = document.createElement('li')
  item.className = className
  item.textContent = text
  list.append(item)
  // Limits the number of rows.
  while (list.childElementCount > 500) list.firstElementChild.remove()
}

/** Opens the stream. EventSource connects again by itself, and sends the id of the last event that it received. */
function follow() {
  const source = new EventSource(`${gateway}/events`, { withCredentials: true })
  source.addEventListener('open', () => {
    state.textContent = 'connected'
  })
  source.addEventListener('error', () => {
    // EventSource does not connect again after a response other than 200. The session may have ended.
    state.textContent = source.readyState === EventSource.CLOSED ? 'sign in' : 'connecting'
  })
  source.addEventListener('order', ({ data }) => {
    // Amounts stay strings, so that no amount becomes a float.
    const { orderId, side, qty, symbol, filledQty, status } = JSON.parse(data)
    show(`${orderId}: ${side} ${qty} ${symbol}, ${status}, ${filledQty ?? '0'} filled`, 'order')
  })
  // Events before this one may be missing: load the state of the orders here, with a call of your gateway.
  source.addEventListener('gap', ({ data }) => show(`gap: ${JSON.parse(data).reason}`, 'gap'))
  return source
}

let source
document.querySelector('#sign-in').addEventListener('submit', (event) => {
  event.preventDefault()
  // For the demonstration only. In your application, your server sets the cookie of a session, with HttpOnly
  // and Secure.
  const session = new FormData(event.target).get('session')
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `session=${encodeURIComponent(session)}; path=/; SameSite=Strict`
  source?.close()
  source = follow()
})
