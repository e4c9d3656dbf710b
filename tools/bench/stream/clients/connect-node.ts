/** connect-node, as it comes, and with raised windows (for which it has no option: a session manager of one's own). */
import { type ClientHttp2Session, connect } from 'node:http2'
import { TradeEventService } from '@brokerwire/protos/trade'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport, type GrpcTransportOptions, Http2SessionManager } from '@connectrpc/connect-node'
import { WINDOW_BYTES } from '../plan.ts'
import { type BenchClient, type CreateBenchClient, REQUEST } from './client.ts'

function connectClient(options: GrpcTransportOptions, close: () => void): BenchClient {
  const client = createClient(TradeEventService, createGrpcTransport(options))
  return {
    async receive(payload, onMessage) {
      for await (const message of client.subscribe({ ...REQUEST, payload })) onMessage(message)
      return undefined
    },
    close,
  }
}

export const createConnectNode: CreateBenchClient = (port) => {
  const baseUrl = `http://127.0.0.1:${port}`
  const sessionManager = new Http2SessionManager(baseUrl)
  return connectClient({ baseUrl, sessionManager }, () => sessionManager.abort())
}

export const createConnectNodeWide: CreateBenchClient = (port) => {
  const baseUrl = `http://127.0.0.1:${port}`
  let session: ClientHttp2Session | undefined
  const open = (): ClientHttp2Session => {
    const opened = connect(baseUrl, { settings: { initialWindowSize: WINDOW_BYTES } })
    opened.once('connect', () => opened.setLocalWindowSize(WINDOW_BYTES))
    return opened
  }
  const sessionManager = {
    authority: baseUrl,
    async request(method: string, path: string, headers: object, options: object) {
      session ??= open()
      return session.request({ ...headers, ':method': method, ':path': path }, options)
    },
    notifyResponseByteRead: () => {},
  }
  return connectClient({ baseUrl, sessionManager }, () => session?.destroy())
}
