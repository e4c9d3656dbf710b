/** Bundles the examples once for all runs, because a start from source with tsx takes ten times as long. */
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { asModule } from '@brokerwire/testing/bundle-program'
import { build } from 'esbuild'

/** The folder of the examples. */
export const EXAMPLES = fileURLToPath(new URL('..', import.meta.url))

/** Bundles each program into `outdir`, as `.mjs` with the same path. */
export async function bundlePrograms(outdir: string): Promise<void> {
  const files = (await readdir(EXAMPLES)).filter((name) => /(?<!\.test)\.ts$/.test(name))
  await build({
    ...asModule,
    absWorkingDir: EXAMPLES,
    entryPoints: [
      ...files,
      'browser-gateway/server.ts',
      'fastify/server.ts',
      'migrate-python/events.ts',
      'migrate-python/orders.ts',
      'nestjs/main.ts',
      'node-file-store/server.ts',
      'other-clients/connect.ts',
      'other-clients/grpc-js-protobufjs.ts',
      'postgres-store/service.ts',
      'relay-postgres/reader.ts',
      'relay-redis/reader.ts',
      'start/connect.ts',
      'start/first-event.ts',
    ],
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    // Optional parts of NestJS, which are not installed.
    external: [
      '@nestjs/microservices',
      '@nestjs/platform-express',
      '@nestjs/websockets',
      'class-transformer',
      'class-validator',
    ],
  })
}
