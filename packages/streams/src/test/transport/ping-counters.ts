/**
 * The rules by which servers of gRPC count PINGs, with their defaults, after their sources: `ping_abuse_policy.cc` of grpc-core,
 * `handlePing` in `http2_server.go` of grpc-go, `KeepAliveEnforcer.java` of grpc-java.
 */

/** The counter of one server for one connection. */
export interface PingCounter {
  readonly name: string
  /** Whether the server would have ended the connection. */
  readonly tooMany: boolean
  /** Called when a PING arrives. @param calls - Number of open calls. */
  ping(nowMs: number, calls: number): void
  /** Called when the server sends HEADERS or DATA. */
  sent(): void
}

const MAX_STRIKES = 2
const WITH_CALLS_MS = 300_000
const WITHOUT_CALLS_MS = 7_200_000

/** Decides whether a PING arrives too early, with its own memory of earlier PINGs and of sent frames. */
interface Rule {
  early(nowMs: number, leastMs: number): boolean
  sent(): void
}

function counter(name: string, rule: Rule): PingCounter {
  let strikes = 0
  let tooMany = false
  return {
    name,
    get tooMany() {
      return tooMany
    },
    ping(nowMs, calls) {
      if (rule.early(nowMs, calls > 0 ? WITH_CALLS_MS : WITHOUT_CALLS_MS)) strikes++
      if (strikes > MAX_STRIKES) tooMany = true
    },
    sent() {
      strikes = 0
      rule.sent()
    },
  }
}

/** Returns the counters of all three servers for a new connection. */
export function pingCounters(): PingCounter[] {
  let coreLastMs = Number.NEGATIVE_INFINITY
  let goLastMs = Number.NEGATIVE_INFINITY
  let goForgives = false
  let javaLastMs = 0
  return [
    counter('grpc-core', {
      early(nowMs, leastMs) {
        const early = coreLastMs + leastMs > nowMs
        coreLastMs = nowMs
        return early
      },
      sent() {
        coreLastMs = Number.NEGATIVE_INFINITY
      },
    }),
    counter('grpc-go', {
      early(nowMs, leastMs) {
        const early = !goForgives && goLastMs + leastMs > nowMs
        goForgives = false
        goLastMs = nowMs
        return early
      },
      sent() {
        goForgives = true
      },
    }),
    counter('grpc-java', {
      early(nowMs, leastMs) {
        if (javaLastMs + leastMs > nowMs) return true
        javaLastMs = nowMs
        return false
      },
      sent() {
        javaLastMs = 0
      },
    }),
  ]
}
