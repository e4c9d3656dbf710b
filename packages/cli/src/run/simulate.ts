/** Runs `brokerwire simulate`. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { escapeJsonControlChars } from '@brokerwire/core/internal'
import { openApiDocument } from '@brokerwire/operations/table'
import {
  type SimulatedApp,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '@brokerwire/simulator'
import { fileError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readSecret } from '../input.ts'
import { consoleAddress, serviceLines } from '../render/service-lines.ts'
import { exportLine } from '../render/shell.ts'
import { consoleFile } from '../settings/paths.ts'
import { readConfigFile } from '../simulate/config-file.ts'
import { createSimulatorExporter } from '../simulate/exporter.ts'
import {
  mergeOptions,
  readScenarioFlag,
  readTls,
  removeFolder,
  type SimulateFlags,
} from '../simulate/merge-options.ts'
import { untilStopped } from '../until-stopped.ts'

export const run: Run<SimulateFlags> = async ({ flags, io }) => {
  const config = typeof flags.config === 'string' ? await readConfigFile(flags.config) : undefined
  const options = mergeOptions(config?.values ?? {}, { ...flags, scenario: await readScenarioFlag(flags) })
  if (typeof flags.appSecretFile === 'string') options.appSecret = await readSecret(flags.appSecretFile)
  const tls = await readTls(flags)
  if (tls !== undefined) options.tls = tls
  // `consoleFile` keeps token and port of the console. Without it and without a state file, an open page
  // would lose its session at every restart.
  if (options.stateFile === undefined) options.consoleFile ??= consoleFile(io.env)
  options.openApi = openApiDocument()
  let running: Simulator | undefined
  options.metrics = createSimulatorExporter(() => running)
  // The command has validated the flags. The library validates the values of the file.
  await using simulator = await startSimulator(options as SimulatorOptions).catch((error: unknown) => {
    throw config?.located(error) ?? error
  })
  running = simulator
  const folder = tls !== undefined && flags.tls === true ? await certificateFolder() : undefined
  try {
    const certificate = folder && join(folder, 'certificate.pem')
    if (certificate !== undefined) await writeFile(certificate, tls?.cert ?? '', { mode: 0o644 })
    if (flags.json) io.out(escapeJsonControlChars(JSON.stringify(describeService(simulator, certificate))))
    else {
      const place = options.listen ?? '127.0.0.1'
      const next = 'Paste these lines into another terminal, then run: brokerwire doctor'
      io.out(`# A local service for tests, on ${place}; Ctrl-C stops it. ${next}`)
      if (certificate !== undefined) io.out(exportLine('NODE_EXTRA_CA_CERTS', certificate))
      for (const line of serviceLines(simulator)) io.out(line)
      const address = consoleAddress(simulator)
      if (address !== undefined) io.out(`# Console: ${address}`)
    }
    await untilStopped(io)
    await simulator.shutdown()
    return EXIT.done
  } finally {
    if (folder !== undefined) await removeFolder(folder)
  }
}

/** Creates a folder for the certificate of this process. @throws CliError `CLI_INPUT_UNREADABLE` */
function certificateFolder(): Promise<string> {
  const directory = tmpdir()
  return mkdtemp(join(directory, 'brokerwire-tls-')).catch((error: { readonly code?: string }) => {
    throw fileError(
      directory,
      `must be a directory that the certificate can be written to (TMPDIR): ${error.code}`,
    )
  })
}

/**
 * The output shows app secret and control token intentionally, because they are valid only for this local
 * service.
 */
function describeService(simulator: Simulator, certificate: string | undefined) {
  const { baseUrl, eventsUrl, moduleEventsUrl, controlUrl, controlToken } = simulator
  const describeApp = ({ region, environment, credentials, accounts }: SimulatedApp) => ({
    region,
    environment,
    appKey: credentials.appKey,
    appSecret: credentials.appSecret.reveal(),
    accounts,
  })
  return {
    ...describeApp(simulator),
    baseUrl,
    eventsUrl,
    moduleEventsUrl,
    mqttUrl: simulator.quotes?.mqttUrl ?? null,
    mqttWebSocketUrl: simulator.quotes?.mqttWebSocketUrl ?? null,
    controlUrl: controlUrl ?? null,
    controlToken: controlUrl === undefined ? null : controlToken.reveal(),
    consoleUrl: consoleAddress(simulator) ?? null,
    apps: simulator.apps.map((app) => ({ name: app.name, ...describeApp(app) })),
    certificate: certificate ?? null,
  }
}
