/** Describes an HTTP request for the log, with the fields that are known when it arrives. */
import type { IncomingMessage } from 'node:http'
import type { LoggedRequest } from '../request-log.ts'

/** Describes a request for the log. */
export function describeRequest(
  incoming: IncomingMessage,
): Pick<LoggedRequest, 'protocol' | 'method' | 'path' | 'headerNames' | 'apiVersion' | 'subscription'> {
  const version = incoming.headers['x-version']
  return {
    protocol: 'http',
    method: incoming.method ?? '',
    path: getPath(incoming),
    headerNames: Object.keys(incoming.headers),
    apiVersion: typeof version === 'string' ? version : undefined,
    subscription: undefined,
  }
}

/** Returns the request target without its query. */
export function getPath(incoming: IncomingMessage): string {
  return (incoming.url ?? '').split('?', 1)[0] ?? ''
}
