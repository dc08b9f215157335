import { useQuery } from '@tanstack/react-query';
import type { CallInput, RouteId } from '../../electron/contract/client.ts';
import { callQuery } from '../api/queries.ts';
import { useServices } from './services.tsx';

/** The answer of an operation: fetched once for all who ask, and again when the server's events change it. */
export const useApi = <Id extends RouteId>(id: Id, input: CallInput<Id> = {}) =>
  useQuery(callQuery(useServices().client, id, input));
