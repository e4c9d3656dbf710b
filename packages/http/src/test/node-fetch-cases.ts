/**
 * The internals of Node's `fetch` that `host/node-fetch.ts` relies on. The cases run in the Node of the tests, over the sources, and in each
 * supported Node, over the packed package (`pnpm runtimes --all`).
 *
 * If one fails, this version of Node has changed an internal: requests then go out without the protection, and `sentOnce` is `false`.
 */
import { once } from 'node:events'
import { type Cases, equal } from '@brokerwire/testing/cases'
import { type HttpServer, startHttpServer } from '@brokerwire/testing/http-server'
import type { createSendControl } from '../host/any.ts'

const CHECKED_MAJORS: readonly string[] = ['20', '22', '24', '26']

/**
 * Checks that the `fetch` of a version of Node is known.
 *
 * @throws An error that states what to check.
 */
export function requireCheckedNode(version: string): void {
  const [major = ''] = version.split('.')
  if (CHECKED_MAJORS.includes(major)) return
  throw new Error(
    `Node ${major} was not checked (only ${CHECKED_MAJORS.join(', ')}). Compare its undici with the internals that ` +
      'packages/http/src/host/node-fetch.ts lists, add it to tools/runtimes and to CHECKED_MAJORS of node-fetch-cases.ts, and run ' +
      '"pnpm runtimes --all"',
  )
}

/** Runs `use` with a server that counts the requests and answers with one status. */
async function withServer(
  status: number,
  use: (url: string, count: () => number) => Promise<void>,
): Promise<void> {
  let requests = 0
  const { url, close } = await startHttpServer((_request, response) => {
    requests += 1
    response.writeHead(status, { 'content-length': 2 })
    response.end('{}')
  })
  try {
    await use(url, () => requests)
  } finally {
    await close()
  }
}

/** @param createControl - `createSendControl` of the sources or of the package. */
export function nodeFetchCases(createControl: typeof createSendControl): Cases {
  const sentOnce = (status: number) => () =>
    withServer(status, async (url, count) => {
      const control = createControl(true, true)
      const init = { method: 'POST', body: '{}', ...control.init }
      const response = await fetch(url, init as RequestInit)
      await response.text()
      equal(control.originalStatus(response.status), status, 'status')
      equal(control.isSentOnce(), true, 'isSentOnce()')
      equal(count(), 1, 'requests')
    })
  return {
    'this version of Node is known': async () => requireCheckedNode(process.versions.node),
    async 'the global dispatcher and the text of fetch identify undici'() {
      void globalThis.Headers
      const dispatcher: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))
      equal(typeof (dispatcher as { dispatch?: unknown } | undefined)?.dispatch, 'function', 'dispatch')
      equal(/undici/.test(Function.prototype.toString.call(fetch)), true, 'the text of fetch')
    },
    'a request that is answered with 407 is sent once, and its status is known': sentOnce(407),
    'a request that is answered with 421 is sent once, and its status is known': sentOnce(421),
    'without the protection, Node sends such a request twice: it is still needed': () =>
      withServer(421, async (url, count) => {
        await (await fetch(url, { method: 'POST', body: '{}' })).text()
        equal(count(), 2, 'requests')
      }),
    async 'the handler of a request ends it'() {
      const service: HttpServer = await startHttpServer(() => {})
      try {
        const control = createControl(true, true)
        equal(control.controller !== undefined, true, 'controller')
        const arrived = once(service.server, 'request')
        const failed = fetch(service.url, control.init as RequestInit).then(String, () => 'failed')
        const [request] = (await arrived) as [{ readonly socket: NodeJS.EventEmitter }]
        const closed = once(request.socket, 'close')
        control.controller?.abort(new Error('enough'))
        equal(await failed, 'failed', 'fetch')
        await closed
      } finally {
        await service.close()
      }
    },
    async 'a fetch that does not use the dispatcher is not reported as sent once'() {
      equal(createControl(true, false).isSentOnce(), false, 'isSentOnce()')
    },
  }
}
