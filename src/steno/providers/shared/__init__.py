"""What the providers' folders share; nothing in here belongs to one of them."""
