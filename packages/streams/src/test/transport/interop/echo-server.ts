/**
 * What the servers of other makers in this folder serve, so that one test can run against each: the service `Echo`.
 *
 * - `Unary` says back what it was told, except for `fail` (NOT_FOUND, with a text), `time` (the whole seconds that are
 *   left, rounded up) and `canceled` (how many streams were canceled). It sends `x-head` and `x-raw-bin` back in the
 *   header, and `x-trail` in the trailers, as they came in `x-mine` and `x-raw-bin`.
 * - `ServerStream` says the letters one by one; `wait` says `w` and stays open.
 * - `ClientStream` says all in one; `Bidi` says each at once, in angle brackets.
 */
import type { InteropServer } from '../../interop/interop-server.ts'

export type EchoServer = InteropServer
