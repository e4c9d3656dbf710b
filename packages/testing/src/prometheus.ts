/** A Prometheus server that scrapes one target each second. */
import { spawnSync } from 'node:child_process'
import { copyFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ChildServer, startServer } from './child-server.ts'
import { programOf } from './installed.ts'

/** A running Prometheus. */
export interface Prometheus extends ChildServer {
  /** Evaluates an expression. Returns the labels and the value of each series. */
  query(expression: string): Promise<readonly Sample[]>
  /** Returns the labels of the firing alerts. */
  firingAlerts(): Promise<readonly Readonly<Record<string, string>>[]>
}

/** The labels and the value of a series. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/**
 * Starts a server.
 *
 * @param target - Host and port of the target.
 * @param job - Name of the job.
 * @param rules - Path of a file with rules.
 */
export async function startPrometheus(target: string, job: string, rules: string): Promise<Prometheus> {
  const server = await startServer({
    name: 'prometheus',
    command: programOf('prometheus'),
    async prepare(directory) {
      await copyFile(rules, join(directory, 'rules.yaml'))
      const config = {
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: ['rules.yaml'],
        scrape_configs: [{ job_name: job, static_configs: [{ targets: [target] }] }],
      }
      // JSON is YAML.
      await writeFile(join(directory, 'prometheus.yaml'), JSON.stringify(config))
    },
    args: (port, directory) => [
      `--config.file=${join(directory, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    async probe(port) {
      const { ok, status } = await fetch(`http://127.0.0.1:${port}/-/ready`)
      if (!ok) throw new Error(`status ${status}`)
    },
  })
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${server.port}/api/v1/${path}`)
    const body = (await response.json()) as { readonly data?: unknown; readonly error?: string }
    if (body.error !== undefined) throw new Error(body.error)
    return body.data
  }
  return Object.assign(server, {
    async query(expression: string) {
      const { result } = (await get(`query?query=${encodeURIComponent(expression)}`)) as QueryData
      return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }))
    },
    async firingAlerts() {
      const { alerts } = (await get('alerts')) as AlertsData
      return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels)
    },
  })
}

interface QueryData {
  readonly result: readonly {
    readonly metric: Readonly<Record<string, string>>
    readonly value: readonly [number, string]
  }[]
}

interface AlertsData {
  readonly alerts: readonly { readonly state: string; readonly labels: Readonly<Record<string, string>> }[]
}

/**
 * Runs promtool, which is next to Prometheus.
 *
 * @throws If it does not end with status 0.
 */
export function promtool(...args: readonly string[]): string {
  const program = join(dirname(programOf('prometheus')), 'promtool')
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`promtool ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
  return stdout
}
