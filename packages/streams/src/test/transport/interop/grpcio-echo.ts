/** Starts the service Echo on Python's grpcio. What it serves is told in `echo-server.ts`. */
import { startPythonServer } from '../../interop/grpcio-server.ts'
import type { EchoServer } from './echo-server.ts'

/** Starts it on 127.0.0.1. */
export function startGrpcioEcho(): Promise<EchoServer> {
  return startPythonServer(new URL('grpcio-echo.py', import.meta.url), {})
}
