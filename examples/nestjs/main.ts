/**
 * A NestJS application with a provider that follows the orders of an account. Nest closes the event stream and its connection on SIGTERM.
 * Compile it with the option `experimentalDecorators`.
 */
import 'reflect-metadata'
import { type Brokerage, createBrokerage } from '@brokerwire/client'
import {
  Inject,
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { readSettings } from '../settings.ts'

const BROKERAGE = Symbol('brokerage')

@Injectable()
export class OrderListener implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger(OrderListener.name)
  readonly #brokerage: Brokerage
  #following: Promise<void> | undefined

  constructor(@Inject(BROKERAGE) brokerage: Brokerage) {
    this.#brokerage = brokerage
  }

  onApplicationBootstrap(): void {
    this.#following = this.#followOrders().catch((error: unknown) => {
      this.#logger.error(error)
      process.exitCode = 1
    })
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#brokerage.close()
    await this.#following
    this.#logger.log('stream: closed')
  }

  async #followOrders(): Promise<void> {
    const accounts = (process.env.BROKERWIRE_ACCOUNTS ?? '').split(',')
    for await (const item of this.#brokerage.tradeEvents({ accounts })) {
      if (item.type === 'notice') this.#logger.log(`stream: ${item.kind}`)
      const order = item.type === 'event' && item.kind === 'order' ? item.decode() : undefined
      if (order?.ok) this.#logger.log(`${order.value.symbol}: ${order.value.orderStatus}`)
    }
  }
}

@Module({
  providers: [{ provide: BROKERAGE, useFactory: () => createBrokerage(readSettings()) }, OrderListener],
})
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule)
app.enableShutdownHooks()
