/** The service Echo on Python's grpcio. `echo-server.ts` describes it. */
import { startPythonServer } from '../../interop/grpcio-server.ts'
import type { EchoServer } from './echo-server.ts'

/** Starts the server on 127.0.0.1. */
export function startGrpcioEcho(): Promise<EchoServer> {
  return startPythonServer(new URL('grpcio-echo.py', import.meta.url), {})
}
