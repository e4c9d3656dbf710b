/**
 * How gRPC's servers count PINGs, each with its defaults: what three of their sources say (`ping_abuse_policy.cc` of
 * grpc-core, `handlePing` of grpc-go's `http2_server.go`, `KeepAliveEnforcer.java` of grpc-java), as small rules.
 */

/** One server's count on one connection. */
export interface PingCounter {
  readonly name: string
  /** Whether it would have ended the connection. */
  readonly tooMany: boolean
  /** A PING arrives. @param calls - Open ones. */
  ping(nowMs: number, calls: number): void
  /** HEADERS or DATA are sent. */
  sent(): void
}

const MAX_STRIKES = 2
const WITH_CALLS_MS = 300_000
const WITHOUT_CALLS_MS = 7_200_000

/** A rule by which a PING is one too early, and what is remembered of it and of what is sent. */
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

/** All three, for one new connection. */
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
