/** Starts a @grpc/grpc-js server on 127.0.0.1. */
import { type Server, ServerCredentials } from '@grpc/grpc-js'
import type { InteropServer } from './interop-server.ts'

/** Binds the server to a free port. Resolves when it listens. */
export async function listenGrpcJs(server: Server): Promise<InteropServer> {
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound)
      else reject(error)
    })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.forceShutdown()
    },
  }
}
