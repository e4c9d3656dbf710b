/** The token of the printed address for a cookie. Afterwards the address opens nothing, and can be seen by anybody. */

/** Takes the token out of the address before anything else happens, whatever becomes of it. */
export async function beginSession(): Promise<void> {
  const match = /^#token=([\w-]+)$/.exec(location.hash)
  if (match === null) return
  history.replaceState(null, '', `${location.pathname}#/overview`)
  dispatchEvent(new HashChangeEvent('hashchange'))
  // Refused, or nobody there: the feed says so.
  await fetch('session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: match[1] }),
  }).catch(() => undefined)
}
