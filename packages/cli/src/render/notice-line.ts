/** Notices of a stream as lines. */
import { unreachable } from '@brokerwire/core/internal'
import type { StreamNotice } from '../stream-item.ts'
import type { Line } from './line.ts'
import { retriesLeftText } from './retries-left.ts'

/**
 * @param stream - Name of the stream.
 * @param isVerbose - Whether to show the service's or the network's message of a failure.
 */
export function noticeLine(stream: string, notice: StreamNotice, isVerbose = false): Line {
  return {
    at: notice.atMs,
    tag: 'notice',
    tone: 'notice',
    text: `${stream} stream: ${describeNotice(notice)}${isVerbose || isProxyFailure(notice) ? formatMessage(notice) : ''}`,
  }
}

/** Whether a notice is about a failure of a proxy. Such a notice is always shown with its message. */
const isProxyFailure = (notice: StreamNotice): boolean =>
  notice.kind === 'reconnecting' && notice.systemCode?.startsWith('PROXY_') === true

const formatMessage = (notice: StreamNotice): string =>
  notice.kind === 'reconnecting' && notice.message !== undefined ? `: ${notice.message}` : ''

function describeNotice(notice: StreamNotice): string {
  switch (notice.kind) {
    case 'subscribed':
      return `subscribed (attempt ${notice.attempt})`
    case 'reconnecting': {
      const why = notice.reason === 'status' ? `status ${notice.status}` : notice.reason
      const slotNote = notice.slotStillHeld ? '; the lost connection may still use a slot' : ''
      return `reconnecting in ${seconds(notice.delayMs)} (${why})${retriesLeftText(notice)}${slotNote}`
    }
    case 'resumed':
      return `resumed after the last position of ${notice.eventTypes.join(', ')}: no events were missed`
    case 'gap': {
      const of = notice.eventTypes === undefined ? '' : ` of ${notice.eventTypes.join(', ')}`
      const from = clock(notice.fromMs)
      return `gap: events${of} from ${from} to ${clock(notice.toMs)} may be lost (${notice.cause})`
    }
    case 'access-token-missing':
      return notice.cause === 'rejected'
        ? 'the service rejected the access token: retrying once without it'
        : 'subscribed without an access token, which the service requires: events may be missing'
    case 'heartbeat-late':
      return `no frame for ${seconds(notice.idleMs)}, limit ${seconds(notice.timeoutMs)}`
    case 'missed-events':
      return `the connection is alive, but ${notice.missing} events are missing`
    case 'backfill-incomplete': {
      const codes = notice.problems.map(({ code, accountId }) => `${code} (account ${accountId})`)
      return `the backfill could not cover all orders: ${codes.join(', ')}`
    }
    case 'duplicate-conflict':
      return `duplicate id ${notice.id} with different content`
    case 'id-too-long':
      return `${notice.field} of ${notice.bytes} bytes: too long to be stored or compared`
    case 'ack-backlog-full':
      return `paused: ${notice.unacked} events are unacknowledged`
    case 'cursor-write-failed':
      return `the cursor of ${notice.eventType} could not be saved; retrying`
    default:
      return unreachable(notice)
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function clock(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(11, 23)
}
