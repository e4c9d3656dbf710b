/**
 * Publishes the packages, stamped, with changesets: what a registry has already is left alone.
 *
 * Nothing leaves for a registry beyond loopback while no repository is set: pages without links and manifests without an
 * origin cannot be taken back.
 */
import { run } from '../ci/lib/run.ts'
import { NO_PLACE, type Place } from './place.ts'

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Whether a registry is on this machine. */
export function isOnLoopback(registry: string): boolean {
  return URL.canParse(registry) && LOOPBACK.has(new URL(registry).hostname)
}

/** Why nothing may be published; `undefined` where it may. */
export function refusal(place: Place | undefined, registry: string): string | undefined {
  return place === undefined && !isOnLoopback(registry)
    ? `not published: ${NO_PLACE}; only a registry on loopback takes it like this`
    : undefined
}

/** How a release is published. */
export interface PublishOptions {
  readonly place: Place | undefined
  /** A registry other than the one that npm is set to. */
  readonly registry?: string
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Publishes a copy of the packages.
 *
 * @param staged - Of `copyPackages` and `stampPackages`. Nothing is tagged: that is the repository's.
 * @returns What was said, and 0 where it went well.
 */
export async function publish(
  staged: string,
  { place, registry, env = {} }: PublishOptions,
): Promise<{ readonly status: number; readonly output: string }> {
  const settings = registry === undefined ? {} : { npm_config_registry: registry }
  const asked = await run('npm', ['config', 'get', 'registry'], { env: settings })
  const refused = refusal(place, asked.stdout.trim())
  if (refused !== undefined) return { status: 1, output: refused }
  return await run('changeset', ['publish', '--no-git-tag'], { cwd: staged, env: { ...settings, ...env } })
}
