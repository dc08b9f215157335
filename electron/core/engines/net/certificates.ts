import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

let context: SecureContext | undefined;

/**
 * Whom a TLS connection trusts: Node's own list (with NODE_EXTRA_CA_CERTS) and the operating system's store, so
 * that the certificates of a company's mirror or inspecting proxy count here as they do in its browsers. Read at
 * the first call and kept, because parsing some hundreds of certificates for every connection would be felt.
 */
export const trustedCertificates = async (): Promise<SecureContext> => {
  context ??= createSecureContext({
    ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])],
  });
  return context;
};
