/**
 * The service `Echo` of the servers in this folder, which use other gRPC libraries. The same tests run against each server.
 *
 * - `Unary` returns the request, except for `fail` (NOT_FOUND with a message), `time` (the remaining seconds of the deadline, rounded
 *   up) and `canceled` (the number of cancelled streams). The response headers have `x-head` and `x-raw-bin`, and the trailers
 *   `x-trail`, with the values of the request headers `x-mine` and `x-raw-bin`.
 * - `ServerStream` returns the letters of the request one by one. For `wait`, it returns `w` and stays open.
 * - `ClientStream` returns all messages joined. `Bidi` returns each message at once, in angle brackets.
 */
import type { InteropServer } from '../../interop/interop-server.ts'

export type EchoServer = InteropServer
