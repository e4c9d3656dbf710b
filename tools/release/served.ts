/** The tarballs as they are packed, on a registry of a few lines: what is in our scope. The rest comes from npm's registry. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { runOrThrow } from '../ci/lib/run.ts'
import { tarballs } from './packed/tarballs.ts'

/** A registry of one scope. */
export interface ServedTarballs {
  /** What a project's `.npmrc` says. */
  readonly npmrc: string
  close(): Promise<void>
}

export async function serveTarballs(): Promise<ServedTarballs> {
  const packed = await tarballs()
  const manifests = await Promise.all(
    packed.map(async ({ path }) => {
      const manifest = await runOrThrow('tar', ['-xzOf', path, 'package/package.json'])
      return JSON.parse(manifest) as { readonly name: string; readonly version: string }
    }),
  )
  let url = ''
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(request.url ?? '').slice(1)
    const file = packed.find(({ path }) => basename(path) === asked)
    if (file !== undefined) {
      response.end(readFileSync(file.path))
      return
    }
    const at = manifests.findIndex(({ name }) => name === asked)
    const [manifest, tarball] = [manifests[at], packed[at]]
    if (manifest === undefined || tarball === undefined) {
      response.writeHead(404).end('{}')
      return
    }
    const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball.path)).digest('base64')}`
    const dist = { tarball: `${url}${basename(tarball.path)}`, integrity }
    const { name, version } = manifest
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: version },
        versions: { [version]: { ...manifest, dist } },
      }),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    npmrc: `@brokerwire:registry=${url}\n`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
