/** A registry on loopback, with nothing in it: what is not published to it comes from the registry that npm is set to. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runServer } from 'verdaccio'
import { runOrThrow } from '../ci/lib/run.ts'

/** A registry that runs. */
export interface LocalRegistry {
  readonly url: string
  close(): Promise<void>
}

export async function startRegistry(): Promise<LocalRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-registry-'))
  const uplink = (await runOrThrow('npm', ['config', 'get', 'registry'])).trim()
  const settings: unknown = {
    self_path: folder,
    configPath: join(folder, 'config.yaml'),
    storage: join(folder, 'storage'),
    security: {},
    auth: { htpasswd: { file: join(folder, 'htpasswd') } },
    uplinks: { up: { url: uplink } },
    packages: {
      '@brokerwire/*': { access: '$all', publish: '$anonymous' },
      '**': { access: '$all', proxy: 'up' },
    },
    log: { type: 'stdout', format: 'pretty', level: 'fatal' },
    web: { enable: false },
    max_body_size: '50mb',
  }
  const app = (await runServer(settings as string)) as Server
  app.listen(0, '127.0.0.1')
  await once(app, 'listening')
  const { port } = app.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      app.close()
      app.closeAllConnections()
      await once(app, 'close')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
