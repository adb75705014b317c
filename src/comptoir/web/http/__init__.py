"""What is asked over HTTP: pages, forms and the interface for machines."""
