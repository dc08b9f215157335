import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { CallAnswer, CallInput, PlainRouteId, RouteId } from '../../electron/contract/client.ts';
import { callQuery } from '../api/queries.ts';
import { useServices } from './services.tsx';

/** The answer of an operation: fetched once for all who ask, and again when the server's events change it. */
export function useApi<Id extends PlainRouteId>(id: Id): UseQueryResult<CallAnswer<Id>>;
export function useApi<Id extends RouteId>(id: Id, input: CallInput<Id>): UseQueryResult<CallAnswer<Id>>;
export function useApi<Id extends RouteId>(id: Id, input?: CallInput<Id>): UseQueryResult<CallAnswer<Id>> {
  return useQuery(callQuery(useServices().client, id, input));
}
