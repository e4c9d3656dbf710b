/** The name of a relay in its cluster: from its configuration, from an environment variable, or a random one. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { RelayConfig } from '../config/parse-config.ts'
import { optionFailure } from '../relay-error.ts'

/** Replaces characters that a name cannot have, such as the dots of a host name. */
const sanitize = (name: string): string => name.replace(/[^A-Za-z0-9-]/g, '-').replace(/^-+/, '')

/**
 * Returns the name of a relay.
 *
 * @throws RelayError `RELAY_OPTION_INVALID` if the environment variable is not set.
 */
export function resolveRelayName(
  name: RelayConfig['name'],
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (typeof name === 'string') return name
  if (name === undefined) return `${sanitize(hostname()).slice(0, 40)}-${randomBytes(4).toString('hex')}`
  const value = sanitize(Object.hasOwn(env, name.env) ? (env[name.env] ?? '') : '').slice(0, 64)
  if (value === '')
    throw optionFailure('config.name', `a name in the environment variable ${name.env}`, 'none')
  return value
}
