/** Publishes a copy of the packages by `changeset publish`. Versions that the registry has are skipped. */
import { run } from '../ci/lib/run.ts'
import { NO_ADDRESS, type ProjectAddress } from './project-address.ts'

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Returns the reason why nothing may be published, or `undefined` if publishing is allowed. If the repository
 * has no address, only a registry on this machine is allowed. A public version cannot be withdrawn, and a
 * version without an address would have pages without links and a manifest without an origin.
 */
export function refusal(address: ProjectAddress | undefined, registry: string): string | undefined {
  const isLocal = URL.canParse(registry) && LOOPBACK.has(new URL(registry).hostname)
  return address === undefined && !isLocal
    ? `not published: ${NO_ADDRESS}; without it only a registry on loopback is allowed`
    : undefined
}

/** Options of {@link publish}. */
export interface PublishOptions {
  readonly address: ProjectAddress | undefined
  /** @defaultValue the registry that npm is configured for */
  readonly registry?: string
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Publishes without creating git tags, because those belong to the repository.
 *
 * @param folder - The output of `copyPackages` and `stampPackages`.
 */
export async function publish(
  folder: string,
  { address, registry, env = {} }: PublishOptions,
): Promise<{ readonly status: number; readonly output: string }> {
  const settings = registry === undefined ? {} : { npm_config_registry: registry }
  const configured = await run('npm', ['config', 'get', 'registry'], { env: settings })
  const refused = refusal(address, configured.stdout.trim())
  if (refused !== undefined) return { status: 1, output: refused }
  return await run('changeset', ['publish', '--no-git-tag'], { cwd: folder, env: { ...settings, ...env } })
}
