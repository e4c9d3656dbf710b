/** Publishes a copy of the packages with changesets: versions that the registry has already are skipped. */
import { run } from '../ci/lib/run.ts'
import { NO_PLACE, type Place } from './place.ts'

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * The reason why nothing may be published, if there is one. Without a repository only a registry on this machine is
 * allowed: published pages without links and manifests without an origin cannot be withdrawn.
 */
export function refusal(place: Place | undefined, registry: string): string | undefined {
  const isLocal = URL.canParse(registry) && LOOPBACK.has(new URL(registry).hostname)
  return place === undefined && !isLocal
    ? `not published: ${NO_PLACE}; without it only a registry on loopback is allowed`
    : undefined
}

/** How a release is published. */
export interface PublishOptions {
  readonly place: Place | undefined
  /** @defaultValue the registry that npm is configured for */
  readonly registry?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Publishes without tags: those belong to the repository. @param folder - Of `copyPackages` and `stampPackages`. */
export async function publish(
  folder: string,
  { place, registry, env = {} }: PublishOptions,
): Promise<{ readonly status: number; readonly output: string }> {
  const settings = registry === undefined ? {} : { npm_config_registry: registry }
  const configured = await run('npm', ['config', 'get', 'registry'], { env: settings })
  const refused = refusal(place, configured.stdout.trim())
  if (refused !== undefined) return { status: 1, output: refused }
  return await run('changeset', ['publish', '--no-git-tag'], { cwd: folder, env: { ...settings, ...env } })
}
