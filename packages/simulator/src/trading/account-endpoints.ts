/** Operations on accounts. */
import { accountView, balanceView, positionsView } from './account-views.ts'
import { type OperationCall, type OperationHandlers, ok } from './endpoint.ts'
import { requiredText } from './fields.ts'
import type { TradingAccount } from './trading-account.ts'

export const ACCOUNT_HANDLERS: OperationHandlers<
  'accounts.list' | 'accounts.balance' | 'accounts.positions'
> = {
  'accounts.list': ({ service }) =>
    ok(service.accounts.map((account) => accountView(account, service.app.settings.region, service.userId))),
  'accounts.balance': (call) => ok(balanceView(getAccount(call), viewContext(call))),
  'accounts.positions': (call) => ok(positionsView(getAccount(call), viewContext(call))),
}

/** @throws TradingRejection */
export function getAccount({ service, fields }: OperationCall): TradingAccount {
  return service.account(requiredText(fields, 'account_id'))
}

function viewContext({ service, nowMs }: OperationCall) {
  const { region, market } = service.app.settings
  return { region, market, getPrice: service.engine.view(nowMs).getPrice }
}
