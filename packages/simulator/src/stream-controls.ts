/** Actions on open streams and their connections. */

import { boolean, integer, oneOf, received } from '@brokerwire/core/internal'
import { Code, ConnectError } from '@connectrpc/connect'
import type { ControlFrame } from './grpc/dialect.ts'
import type { GrpcServer } from './grpc/server.ts'
import type { StreamHub } from './grpc/stream-hub.ts'
import { STREAM_SERVICES, type StreamService } from './grpc/subscription-fault.ts'
import type { Listener } from './listen.ts'
import type { StreamControls, StreamStatus } from './simulator-api.ts'
import { argumentFailure, readArguments } from './simulator-error.ts'
import type { StreamSelection } from './simulator-faults.ts'

/** Dependencies of the controls. */
export interface StreamControlTarget {
  readonly hub: StreamHub
  /** The gRPC servers. With a shared port, the only server is stored under `'trade'`. */
  readonly grpcServers: ReadonlyMap<StreamService, GrpcServer>
  readonly listeners: { get(service: StreamService): Listener | undefined }
}

const CONTROL_KINDS: readonly ControlFrame[] = [
  'auth-error',
  'connection-limit',
  'expired',
  'unknown-control',
]

const STATUS_CODES: Readonly<Record<StreamStatus, Code>> = {
  cancelled: Code.Canceled,
  unknown: Code.Unknown,
  'deadline-exceeded': Code.DeadlineExceeded,
  'permission-denied': Code.PermissionDenied,
  'resource-exhausted': Code.ResourceExhausted,
  aborted: Code.Aborted,
  internal: Code.Internal,
  unavailable: Code.Unavailable,
  unauthenticated: Code.Unauthenticated,
}

/** Creates the controls. */
export function createStreamControls({ hub, grpcServers, listeners }: StreamControlTarget): StreamControls {
  /** Returns the keys of the servers and listeners that serve a service. */
  const portsFor = (service: StreamService | undefined): readonly StreamService[] => {
    if (service === undefined) return STREAM_SERVICES
    return grpcServers.has(service) ? [service] : ['trade']
  }
  const listenersFor = (selection: StreamSelection | undefined): readonly Listener[] =>
    portsFor(readService(selection)).flatMap((place) => listeners.get(place) ?? [])

  return {
    dropConnections(selection) {
      const service = readService(selection)
      const lost = hub.list().filter((item) => service === undefined || item.requested.service === service)
      for (const listener of listenersFor(selection)) listener.destroySockets()
      return lost.length
    },
    setReachable(reachable, selection) {
      if (typeof reachable !== 'boolean')
        throw argumentFailure('reachable', 'true or false', received(reachable))
      for (const listener of listenersFor(selection)) listener.setReachable(reachable)
    },
    goaway(given = {}) {
      const { http2Code, ...selection } = readArguments(given, ['http2Code', 'service'])
      const code = readHttp2Code(http2Code, 0)
      let sessions = 0
      for (const place of portsFor(readService(selection)))
        sessions += grpcServers.get(place)?.goaway(code) ?? 0
      return sessions
    },
    resetStreams(given = {}) {
      const { http2Code, ...selection } = readArguments(given, ['http2Code', 'service'])
      return hub.reset(readHttp2Code(http2Code, 2), readService(selection))
    },
    endStreams(given = {}) {
      const {
        status,
        message = 'closed by the simulator',
        ...selection
      } = readArguments(given, ['status', 'message', 'service'])
      if (typeof message !== 'string') throw argumentFailure('message', 'a string', received(message))
      if (status === undefined) return hub.endWithStatus(undefined, readService(selection))
      const names = Object.keys(STATUS_CODES) as StreamStatus[]
      const code = STATUS_CODES[oneOf(names)(status, 'status', argumentFailure)]
      return hub.endWithStatus(new ConnectError(message, code), readService(selection))
    },
    expireSubscriptions: (selection) => hub.endWithControl('expired', readService(selection)),
    sendControl: (kind, selection) =>
      hub.endWithControl(oneOf(CONTROL_KINDS)(kind, 'kind', argumentFailure), readService(selection)),
    silence(what = 'all', selection = {}) {
      const wanted = oneOf(['all', 'events'])(what, 'what', argumentFailure)
      return hub.setSilence(wanted, false, readService(selection))
    },
    resume(given = {}) {
      const { skipEvents, ...selection } = readArguments(given, ['skipEvents', 'service'])
      const isSkipped = boolean(false)(skipEvents, 'skipEvents', argumentFailure)
      return hub.setSilence('none', isSkipped, readService(selection))
    },
    pingNow: (selection) => hub.ping(readService(selection)),
  }
}

/**
 * Reads the service of a selection.
 *
 * @returns `undefined` for both services.
 */
export function readService(selection: StreamSelection = {}): StreamService | undefined {
  const { service } = readArguments(selection, ['service'])
  return service === undefined ? undefined : oneOf(STREAM_SERVICES)(service, 'service', argumentFailure)
}

function readHttp2Code(value: number | undefined, fallback: number): number {
  return integer({ min: 0, max: 0xffff_ffff, default: fallback })(value, 'http2Code', argumentFailure)
}
