/** Shows an interceptor of undici that signs the requests of a dispatcher. */
import { fromUrl } from '@brokerwire/signer'
import type { SyncSigner } from '@brokerwire/signer/sync'
import { Agent, type Dispatcher, interceptors } from 'undici'

/** @param origin - The only origin that requests are sent to. */
export function createDispatcher(signer: SyncSigner, origin: string): Dispatcher {
  // The first interceptor is the last one before the network, so each attempt of a retry is signed.
  return new Agent().compose(signRequests(signer, origin), interceptors.retry())
}

function signRequests(signer: SyncSigner, origin: string): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { body, headers, path } = options
    if (String(options.origin) !== origin) throw new TypeError(`requests must be sent to ${origin}`)
    // Any other body is a stream, and its bytes are not known yet.
    const isBytes = typeof body === 'string' || body instanceof Uint8Array
    if (body && !isBytes) throw new TypeError('body must be a string or bytes')
    if (headers && Symbol.iterator in headers) throw new TypeError('headers must be a plain object')
    const signed = signer.sign({ ...fromUrl(`${origin}${path}`), body: body ? body : undefined })
    const sent = {
      ...options,
      path: signed.url.slice(origin.length),
      headers: { ...headers, ...signed.headers },
    }
    return dispatch(sent, handler)
  }
}
